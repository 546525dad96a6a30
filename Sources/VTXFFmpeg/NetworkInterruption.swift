import CFFmpeg
import VTXSystem

/// Limits how long a call waits for the network (C: `AVIOInterruptCB`). It lives as long as its muxer or demuxer.
package final class NetworkInterruption: Sendable {
    private struct State {
        /// The deadline of the current call, on the monotonic clock.
        var deadline = Double.infinity
        /// The deadline of all further calls.
        var end = Double.infinity
        /// Whether a call has been interrupted since the last one began.
        var isCut = false
    }

    private let state = Locked(State())
    private let timeout: Double

    /// - Parameter timeout: The timeout for one call, in seconds.
    package init(timeout: Double) { self.timeout = timeout }

    /// Interrupts current and later calls after this many seconds.
    package func end(within seconds: Double) {
        let end = MonotonicClock.seconds + seconds
        state.withLock { $0.end = min($0.end, end) }
    }

    /// Starts the timeout of a call.
    ///
    /// - Parameter seconds: The timeout; nil for the default.
    func begin(_ seconds: Double? = nil) {
        let deadline = MonotonicClock.seconds + (seconds ?? timeout)
        state.withLock { ($0.deadline, $0.isCut) = (deadline, false) }
    }

    /// Whether the last call was interrupted.
    package var hasExpired: Bool {
        let now = MonotonicClock.seconds
        return state.withLock { now >= min($0.deadline, $0.end) }
    }

    /// Whether the call was interrupted. The following calls, which flush what is left, do not wait either.
    var isCut: Bool { state.withLock(\.isCut) }

    /// Called by libavformat while it waits.
    private var endsCall: Bool {
        let now = MonotonicClock.seconds
        return state.withLock { state in
            if now >= min(state.deadline, state.end) { state.isCut = true }
            return state.isCut
        }
    }

    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<NetworkInterruption>.fromOpaque(opaque).takeUnretainedValue().endsCall ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
    }
}

extension FFmpegError {
    /// Whether the call, or one before it, was interrupted (C: `AVERROR_EXIT`, the letters of `EXIT`).
    package var isInterruption: Bool { status == -0x5449_5845 }
}

extension Demuxer {
    /// Whether libavformat can read from URLs with this protocol.
    package static func reads(protocol name: String) -> Bool {
        var position: UnsafeMutableRawPointer?
        while let found = avio_enum_protocols(&position, 0) {
            if String(cString: found) == name { return true }
        }
        // RTSP is a demuxer.
        return name == "rtsp" && av_find_input_format(name) != nil
    }
}

extension Muxer {
    /// Whether libavformat can write to URLs with this protocol (C: `avio_enum_protocols`).
    package static func writes(protocol name: String) -> Bool {
        var position: UnsafeMutableRawPointer?
        while let found = avio_enum_protocols(&position, 1) {
            if String(cString: found) == name { return true }
        }
        return false
    }
}

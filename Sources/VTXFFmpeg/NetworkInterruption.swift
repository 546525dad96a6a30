import CFFmpeg
import VTXSystem

/// Bounds how long a call waits for the network (C: `AVIOInterruptCB`). It lives as long as its muxer or demuxer.
package final class NetworkInterruption: Sendable {
    private struct State {
        /// On the monotonic clock, of the call that waits.
        var deadline = Double.infinity
        /// Of all calls that come.
        var end = Double.infinity
        /// A call had to be ended since the last one began.
        var isCut = false
    }

    private let state = Locked(State())
    private let timeout: Double

    /// - Parameter timeout: seconds that one call may take.
    package init(timeout: Double) { self.timeout = timeout }

    /// No call, whether it waits or comes later, goes on after this many seconds.
    package func end(within seconds: Double) {
        let end = MonotonicClock.seconds + seconds
        state.withLock { $0.end = min($0.end, end) }
    }

    /// A call begins.
    ///
    /// - Parameter seconds: that it may take; nil for as many as any other.
    func begin(_ seconds: Double? = nil) {
        let deadline = MonotonicClock.seconds + (seconds ?? timeout)
        state.withLock { ($0.deadline, $0.isCut) = (deadline, false) }
    }

    /// Whether the last call had to be ended.
    package var hasExpired: Bool {
        let now = MonotonicClock.seconds
        return state.withLock { now >= min($0.deadline, $0.end) }
    }

    /// The call was ended: those after it, which give out what is left, do not wait either.
    var isCut: Bool { state.withLock(\.isCut) }

    /// libavformat asks this while it waits.
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
    /// The call was ended, or one before it (C: `AVERROR_EXIT`, the letters of `EXIT`).
    package var isInterruption: Bool { status == -0x5449_5845 }
}

extension Demuxer {
    /// Whether libavformat reads from URLs with this protocol.
    package static func reads(protocol name: String) -> Bool {
        var position: UnsafeMutableRawPointer?
        while let found = avio_enum_protocols(&position, 0) {
            if String(cString: found) == name { return true }
        }
        // It is a demuxer of its own.
        return name == "rtsp" && av_find_input_format(name) != nil
    }
}

extension Muxer {
    /// Whether libavformat writes to URLs with this protocol (C: `avio_enum_protocols`).
    package static func writes(protocol name: String) -> Bool {
        var position: UnsafeMutableRawPointer?
        while let found = avio_enum_protocols(&position, 1) {
            if String(cString: found) == name { return true }
        }
        return false
    }
}

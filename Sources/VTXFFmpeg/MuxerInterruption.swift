import CFFmpeg
import VTXSystem

/// Bounds how long a call of a muxer waits for the network (C: `AVIOInterruptCB`). It lives as long as its muxer.
package final class MuxerInterruption: Sendable {
    private struct State {
        /// On the monotonic clock, of the call that waits.
        var deadline = Double.infinity
        /// Of all calls that come.
        var end = Double.infinity
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
    func begin() {
        let deadline = MonotonicClock.seconds + timeout
        state.withLock { $0.deadline = deadline }
    }

    /// Whether the last call had to be ended.
    package var hasExpired: Bool {
        let now = MonotonicClock.seconds
        return state.withLock { now >= min($0.deadline, $0.end) }
    }

    var callback: AVIOInterruptCB {
        AVIOInterruptCB(
            callback: { opaque in
                guard let opaque else { return 0 }
                return Unmanaged<MuxerInterruption>.fromOpaque(opaque).takeUnretainedValue().hasExpired ? 1 : 0
            }, opaque: Unmanaged.passUnretained(self).toOpaque())
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

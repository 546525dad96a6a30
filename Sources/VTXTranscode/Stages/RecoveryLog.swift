import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// What took over in mid-file, as the stages tell it on their threads.
final class RecoveryLog: Sendable {
    private struct State {
        var notices: [Notice] = []
        var failures: [HardwareFailure] = []
        var lastingFailures: [HardwareFailure] = []
        var report: @Sendable ([Notice]) -> Void = { _ in }
    }

    private let state = Locked(State())

    /// Each notice as it comes.
    func follow(_ report: @escaping @Sendable ([Notice]) -> Void) { state.withLock { $0.report = report } }

    var notices: [Notice] { state.withLock { $0.notices } }

    /// Whom another attempt has to do without: devices that were given up, else those that failed at all.
    var failures: [HardwareFailure] {
        state.withLock { $0.lastingFailures.isEmpty ? $0.failures : $0.lastingFailures }
    }

    func note(_ replacement: CodecReplacement, at stage: VideoStage) {
        let failure = HardwareFailure(
            stage: stage, device: replacement.lostDevice, deviceName: replacement.lostName,
            message: replacement.reason.message)
        let notices = replacement.notices(stage)
        let report = state.withLock { state in
            state.failures.append(failure)
            if !replacement.isSameDevice { state.lastingFailures.append(failure) }
            state.notices += notices.filter { !state.notices.contains($0) }
            return state.report
        }
        report(notices)
    }
}

extension CodecReplacement {
    fileprivate func notices(_ stage: VideoStage) -> [Notice] {
        let failure: Message = "\(lostName) failed at the \(stage.rawValue) stage: \(reason.message)"
        guard !isSameDevice else {
            return [Notice(.hardwareRecovered, "\(failure); it was opened again, and the same output goes on")]
        }
        return [Notice(.fallbackFault, "\(failure); \(name) takes over, and the same output goes on")]
            + compromises.map { Notice(.fallbackRateControl, Message($0)) }
    }
}

import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The replacements in mid-file, as reported by the stages on their threads.
final class RecoveryLog: Sendable {
    private struct State {
        /// Those not yet reported to the user.
        var unreported: [Entry] = []
        var notices: [Notice] = []
        /// The names of the devices that took over.
        var successors: [VideoStage: [String]] = [:]
        var failures: [HardwareFailure] = []
        var lastingFailures: [HardwareFailure] = []
    }

    fileprivate struct Entry {
        var stage: VideoStage
        var replacement: CodecReplacement
    }

    private let state = Locked(State())

    var notices: [Notice] { state.withLock { $0.notices } }

    /// What the next attempt avoids: devices that were given up, or all that failed if there are none.
    var failures: [HardwareFailure] {
        state.withLock { $0.lastingFailures.isEmpty ? $0.failures : $0.lastingFailures }
    }

    /// - Parameter replacements: In sequence, until output resumed.
    func note(_ replacements: [CodecReplacement], at stage: VideoStage) {
        let failures = replacements.map { HardwareFailure($0, at: stage) }
        let lasting = zip(replacements, failures).filter { !$0.0.isSameDevice }.map(\.1)
        // A device that was opened again and failed again is reported once.
        let reported = replacements.dropLast().filter { !$0.isSameDevice } + replacements.suffix(1)
        state.withLock { state in
            state.failures += failures
            state.successors[stage, default: []] += replacements.suffix(1).map(\.name)
            state.lastingFailures += lasting
            state.unreported += reported.map { Entry(stage: stage, replacement: $0) }
        }
    }

    /// Returns the names of the devices that took over a stage, in order.
    func successors(at stage: VideoStage) -> [String] { state.withLock { $0.successors[stage] ?? [] } }

    /// Whether another device has taken over from this one.
    func hasLost(_ device: DeviceID, at stage: VideoStage) -> Bool {
        state.withLock { $0.lastingFailures.contains { $0.device == device && $0.stage == stage } }
    }

    /// Returns the notices to report now. A lost GPU is lost at several stages within milliseconds: that is one notice.
    func takeNotices() -> [Notice] {
        state.withLock { state in
            let notices = state.unreported.notices.filter { !state.notices.contains($0) }
            state.unreported = []
            state.notices += notices
            return notices
        }
    }
}

extension HardwareFailure {
    fileprivate init(_ replacement: CodecReplacement, at stage: VideoStage) {
        self.init(
            stage: stage, device: replacement.lostDevice, deviceName: replacement.lostName,
            message: replacement.reason.message)
    }
}

extension [RecoveryLog.Entry] {
    /// One notice per lost device and replacement, in order of occurrence.
    fileprivate var notices: [Notice] {
        var (rest, notices) = (self, [Notice]())
        while let first = rest.first?.replacement {
            let isAlike = { (entry: Element) in
                entry.replacement.lostDevice == first.lostDevice && entry.replacement.device == first.device
            }
            let alike = rest.filter(isAlike)
            rest.removeAll(where: isAlike)
            notices.append(first.notice(VideoStage.allCases.filter(alike.map(\.stage).contains)))
            notices += alike.flatMap(\.replacement.compromises).map { Notice(.fallbackRateControl, Message($0)) }
        }
        return notices
    }
}

extension CodecReplacement {
    fileprivate func notice(_ stages: [VideoStage]) -> Notice {
        let names = stages.map(\.rawValue)
        let list = ([names.dropLast().joined(separator: ", ")].filter { !$0.isEmpty } + names.suffix(1))
            .joined(separator: " and ")
        let failure: Message =
            "\(lostName) failed at the \(list) \(names.count > 1 ? "stages" : "stage"): \(reason.message)"
        return isSameDevice
            ? Notice(.hardwareRecovered, "\(failure); it was reopened and continues the same output")
            : Notice(.fallbackFault, "\(failure); \(name) takes over and continues the same output")
    }
}

import VTXMedia
import VTXTask

/// What the planner writes down while it decides.
struct PlanNotes {
    var decisions: [Decision] = []
    var notices: [Notice] = []

    /// - Parameters:
    ///   - refused: devices that were tried for this job already.
    ///   - failures: of GPUs that are not used again.
    ///   - fault: what ended the process that did this job before.
    init(after refused: [DeviceOpenFailure] = [], _ failures: [HardwareFailure] = [], _ fault: String? = nil) {
        notices = refused.map(\.notice)
        for failure in failures {
            note(
                .fallbackFault, "\(failure.deviceName) failed: \(failure.message); the job goes on without it")
        }
        if let fault { note(.fallbackFault, "\(fault); the job goes on without it") }
    }

    mutating func decide(_ subject: String, _ choice: String, because reason: Message) {
        decisions.append(Decision(subject, choice, because: reason))
    }

    mutating func note(_ kind: NoticeKind, _ message: Message) { notices.append(Notice(kind, message)) }
}

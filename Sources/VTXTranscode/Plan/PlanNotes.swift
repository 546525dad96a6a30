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
            fall("fault", "\(failure.deviceName) failed: \(failure.message); the job starts again without it")
        }
        if let fault { fall("fault", "\(fault); all is done again in software") }
    }

    mutating func decide(_ subject: String, _ choice: String, because reason: String) {
        decisions.append(Decision(subject, choice, because: reason))
    }

    mutating func downgrade(_ code: String, _ message: String) {
        notices.append(Notice(.downgrade, "downgrade.\(code)", message))
    }

    mutating func fall(_ code: String, _ message: String) {
        notices.append(Notice(.fallback, "fallback.\(code)", message))
    }

    mutating func warn(_ code: String, _ message: String) { notices.append(Notice(.warning, code, message)) }

    mutating func conversion(_ code: String, _ message: String) {
        notices.append(Notice(.conversion, "conversion.\(code)", message))
    }
}

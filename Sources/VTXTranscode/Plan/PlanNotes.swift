import VTXMedia
import VTXTask

/// What the planner writes down while it decides.
struct PlanNotes {
    var decisions: [Decision] = []
    var notices: [Notice] = []

    /// - Parameters:
    ///   - refused: devices that were tried for this job already.
    ///   - fault: what a GPU failed at in the middle of this job.
    init(after refused: [DeviceOpenFailure] = [], _ fault: String? = nil) {
        notices = refused.map(\.notice)
        if let fault {
            notices.append(Notice(.fallback, "fallback.fault", "\(fault); all is done again in software"))
        }
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

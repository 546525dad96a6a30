/// One thing that `vtx doctor` did.
struct DoctorStep: Sendable, Hashable {
    enum Verdict: String, Sendable, Hashable, Encodable {
        case ok
        case failed
        /// It could not be tried, for a reason that another step has.
        case skipped
    }

    var name: String
    var verdict: Verdict
    /// A few words.
    var summary: String
    /// For the report.
    var details = ""
    /// No GPU has a part in it.
    var isSoftware = false
}

/// A step, as `--json` tells it.
struct StepRecord: Record {
    let type = "step"
    let name: String
    let verdict: DoctorStep.Verdict
    let summary: String

    init(_ step: DoctorStep) {
        name = step.name
        verdict = step.verdict
        summary = step.summary
    }
}

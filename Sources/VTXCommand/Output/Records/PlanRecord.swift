import VTXMedia
import VTXTranscode

/// Everything that will be done, and why.
struct PlanRecord: Record {
    let type = "plan"
    let input: String
    let output: String
    let container: String
    let keepsChapters: Bool
    let decisions: [DecisionRecord]
    let notices: [NoticeRecord]
    let ffmpegCommand: [String]

    struct DecisionRecord: Encodable, Sendable {
        let subject: String
        let choice: String
        let reason: String
    }

    init(_ plan: TranscodePlan) {
        input = plan.input
        output = plan.output
        container = plan.container.rawValue
        keepsChapters = plan.keepsChapters
        decisions = plan.decisions.map {
            DecisionRecord(subject: $0.subject, choice: $0.choice, reason: $0.reason)
        }
        notices = plan.notices.map(NoticeRecord.init)
        ffmpegCommand = plan.ffmpegCommand
    }
}

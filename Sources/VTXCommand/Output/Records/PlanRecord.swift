import VTXMedia
import VTXTranscode

/// Everything that will be done, and why.
struct PlanRecord: Record {
    let type = "plan"
    let input: String
    let output: String
    let container: String
    let deviceName: String
    let usesHardware: Bool
    /// How much there will be, where the source says so.
    let expectedFrames: Int?
    let expectedSeconds: Double?
    let chapters: Int
    let decisions: [DecisionRecord]
    let streams: [StreamSummary]
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
        deviceName = plan.video.deviceName
        usesHardware = plan.video.usesHardware
        expectedFrames = plan.video.expectedFrames
        expectedSeconds = plan.clock.expectedSeconds?.thousandths
        chapters = plan.chapters.count
        decisions = plan.decisions.map {
            DecisionRecord(subject: $0.subject, choice: $0.choice, reason: $0.reason)
        }
        streams = plan.streams.map(StreamSummary.init)
        notices = plan.notices.map(NoticeRecord.init)
        ffmpegCommand = plan.ffmpegCommand
    }
}

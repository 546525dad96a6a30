/// An event of a running transcode. `planned` occurs once, preceded only by events of a search for a quality. The last
/// event is `finished`, unless the transcode throws.
package enum TranscodeEvent: Sendable, Hashable {
    case planned(TranscodePlan)
    case notice(Notice)
    case progress(Progress)
    /// The output is in place. The GPU is released only after this, so that a driver that fails then cannot change the
    /// result.
    case finished(TranscodeResult)
}

extension TranscodeEvent: Codable {
    private enum Key: CodingKey {
        case type
    }

    private enum Kind: String, Codable {
        case plan
        case notice
        case progress
        case result
    }

    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: Key.self).decode(Kind.self, forKey: .type) {
        case .plan: self = .planned(try TranscodePlan(from: decoder))
        case .notice: self = .notice(try Notice(from: decoder))
        case .progress: self = .progress(try Progress(from: decoder))
        case .result: self = .finished(try TranscodeResult(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let (kind, content): (Kind, any Encodable) =
            switch self {
            case .planned(let plan): (.plan, plan)
            case .notice(let notice): (.notice, notice)
            case .progress(let progress): (.progress, progress)
            case .finished(let result): (.result, result)
            }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: .type)
        try content.encode(to: encoder)
    }
}

package struct TranscodeResult: Sendable, Hashable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case completed
        /// The source was truncated or damaged; see the notices.
        case incompleteSource
        /// The output existed and was not changed, or there is a `reason`.
        case skipped
    }

    package var outcome: Outcome
    /// Why the source was skipped; nil if it was not, or if the output existed.
    package var reason: String?
    package var output: String
    package var frames: Int
    package var seconds: Double
    package var bytes: Int64
    package var elapsedSeconds: Double
    package var notices: [Notice]
    /// The digest of a source from a pipe, if a receipt is requested.
    package var pipedSource: PipedBytes?
    /// The same for the output.
    package var pipedOutput: PipedBytes?
    /// The bit rates of the video; nil if not measured.
    package var bitRates: BitRates?
    /// How long the work kept engines busy, by device node and by the kernel's name of the engine; nil without a GPU,
    /// or if the kernel does not report it.
    package var engineSeconds: [String: [String: Double]]?
    /// nil if the output was not checked as a whole.
    package var verification: VerificationReport?
    /// The names of the devices that did each stage, by `VideoStage`; nil if the video was copied.
    package var stageDevices: [String: [String]]?
    /// The latency at the end of a recording, as in `Progress`.
    package var latencySeconds: Double?

    package init(
        outcome: Outcome, output: String, frames: Int, seconds: Double, bytes: Int64, elapsedSeconds: Double,
        notices: [Notice]
    ) {
        self.outcome = outcome
        self.output = output
        self.frames = frames
        self.seconds = seconds
        self.bytes = bytes
        self.elapsedSeconds = elapsedSeconds
        self.notices = notices
    }
}

extension TranscodeResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case outcome = "status"
        case reason
        case output
        case frames
        case seconds
        case bytes
        case elapsedSeconds
        case notices
        case pipedSource
        case pipedOutput
        case bitRates
        case engineSeconds
        case verification
        case stageDevices
        case latencySeconds
    }
}

package import VTXMedia

/// What happens to one stream.
package struct StreamPlan: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case encodeVideo
        case copy
        case convertAudio(AudioEncoderSettings)
        /// libavcodec's name of the subtitle encoder.
        case convertSubtitle(String)
        case drop
    }

    package var source: StreamInfo
    package var action: Action
    package var reason: String
    /// The index in the output; nil if the stream is dropped.
    package var outputIndex: Int?

    package init(source: StreamInfo, action: Action, reason: String, outputIndex: Int? = nil) {
        self.source = source
        self.action = action
        self.reason = reason
        self.outputIndex = outputIndex
    }

    package var isDropped: Bool { action == .drop }

    package var isConverted: Bool {
        switch action {
        case .convertAudio, .convertSubtitle: true
        case .encodeVideo, .copy, .drop: false
        }
    }

    /// The action, for users: `copy`, `convert to aac`.
    package var summary: String {
        switch action {
        case .encodeVideo: "encode"
        case .copy: "copy"
        case .convertAudio(let settings): "convert to \(settings.codecName)"
        case .convertSubtitle(let codec): "convert to \(codec)"
        case .drop: "drop"
        }
    }
}

extension StreamPlan.Action {
    /// One word: `encode`, `copy`, `convert` or `drop`.
    package var word: String {
        switch self {
        case .encodeVideo: "encode"
        case .copy: "copy"
        case .convertAudio, .convertSubtitle: "convert"
        case .drop: "drop"
        }
    }
}

extension StreamPlan: Codable {
    private enum Key: CodingKey {
        case source
        case action
        case reason
        case outputIndex
        /// Settings of a converted audio stream.
        case audio
        /// The encoder of a converted subtitle stream.
        case subtitleCodec
        /// Written for readers, never read.
        case label
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            source: try container.decode(StreamInfo.self, forKey: .source), action: try Self.action(in: container),
            reason: try container.decode(String.self, forKey: .reason),
            outputIndex: try container.decodeIfPresent(Int.self, forKey: .outputIndex))
    }

    private static func action(in container: KeyedDecodingContainer<Key>) throws -> Action {
        switch try container.decode(String.self, forKey: .action) {
        case "encode": return .encodeVideo
        case "copy": return .copy
        case "drop": return .drop
        default:
            if let settings = try container.decodeIfPresent(AudioEncoderSettings.self, forKey: .audio) {
                return .convertAudio(settings)
            }
            return .convertSubtitle(try container.decode(String.self, forKey: .subtitleCodec))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(source.label, forKey: .label)
        try container.encode(source, forKey: .source)
        try container.encode(action.word, forKey: .action)
        try container.encode(reason, forKey: .reason)
        try container.encodeIfPresent(outputIndex, forKey: .outputIndex)
        if case .convertAudio(let settings) = action { try container.encode(settings, forKey: .audio) }
        if case .convertSubtitle(let codec) = action { try container.encode(codec, forKey: .subtitleCodec) }
    }
}

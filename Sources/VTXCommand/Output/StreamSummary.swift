import VTXMedia
import VTXTranscode

/// What happens to one of the source's streams, in words.
struct StreamSummary: Encodable, Sendable {
    /// Kind, number, codec and language.
    let label: String
    let action: Action
    let reason: String
    /// Its place in the output; nil where it has none.
    let outputIndex: Int?

    enum Action: String, Encodable, Sendable {
        case encode
        case copy
        case convert
        case drop
    }

    init(_ stream: StreamPlan) {
        label = stream.source.label
        action = Action(stream.action)
        reason = stream.reason
        outputIndex = stream.outputIndex
    }
}

extension StreamSummary.Action {
    fileprivate init(_ action: StreamPlan.Action) {
        switch action {
        case .encodeVideo: self = .encode
        case .copy: self = .copy
        case .convertAudio, .convertSubtitle: self = .convert
        case .drop: self = .drop
        }
    }
}

/// Subtitles that become a part of the pictures.
package enum DrawnSubtitles: Sendable, Hashable {
    case stream(StreamKey)
    /// The first ones of a file beside the source.
    case file(String)

    /// nil for what is neither a position, nor a language, nor a path with an extension or a directory.
    package init?(_ text: String) {
        if let key = StreamKey(text[...]) {
            self = .stream(key)
        } else if text.contains("/") || text.contains("."),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        {
            self = .file(text)
        } else {
            return nil
        }
    }

    package var file: String? { if case .file(let path) = self { path } else { nil } }
}

extension DrawnSubtitles: CustomStringConvertible {
    package var description: String {
        switch self {
        case .stream(let key): "\(key)"
        case .file(let path): path
        }
    }
}

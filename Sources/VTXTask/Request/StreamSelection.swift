import VTXMedia

/// The source's streams that are kept in the output.
package struct StreamSelection: Sendable, Hashable {
    package var video: Int = 0
    /// Beside that one.
    package var otherVideo: StreamFilter = .all
    package var audio: StreamFilter = .all
    package var subtitles: StreamFilter = .all
    package var data: StreamFilter = .all
    package var attachments: StreamFilter = .all
    package var keepsChapters = true
    package var keepsMetadata = true

    package init() {}
}

/// Selects streams of one kind: all, none, or by index or language.
package enum StreamFilter: Sendable, Hashable {
    case all
    case none
    case only([StreamKey])

    /// Parses `all`, `none`, or a list such as `0,2,eng`; nil for anything else.
    package init?(_ text: String) {
        switch text {
        case "all": self = .all
        case "none": self = .none
        default:
            let keys = text.split(separator: ",", omittingEmptySubsequences: false).map(StreamKey.init)
            guard !keys.contains(nil) else { return nil }
            self = .only(keys.compactMap(\.self))
        }
    }

    /// Whether the stream at this index among its kind, in this language, is selected.
    package func includes(position: Int, language: String?) -> Bool {
        rank(position: position, language: language) != nil
    }

    /// Returns the position of the stream's key in the list, which determines the output's order; nil for a stream that
    /// is not selected.
    package func rank(position: Int, language: String?) -> Int? {
        switch self {
        case .all: 0
        case .none: nil
        case .only(let keys): keys.firstIndex { $0.names(position: position, language: language) }
        }
    }
}

package enum StreamKey: Sendable, Hashable {
    /// The index among streams of the kind, from 0, as in ffmpeg's `a:0`.
    case position(Int)
    /// An ISO 639 code such as `eng` or `en`.
    case language(String)

    package init?(_ text: Substring) {
        if let position = Int(text), position >= 0 {
            self = .position(position)
        } else if (2...3).contains(text.count), text.allSatisfy({ $0.isASCII && $0.isLowercase }) {
            self = .language(String(text))
        } else {
            return nil
        }
    }

    /// Whether it selects the stream at an index among its kind, in this language.
    package func names(position: Int, language: String?) -> Bool {
        switch self {
        case .position(let wanted): wanted == position
        case .language(let wanted): language.map { LanguageCode.isSame(wanted, $0) } ?? false
        }
    }
}

extension StreamKey: CustomStringConvertible {
    package var description: String {
        switch self {
        case .position(let position): "\(position)"
        case .language(let language): language
        }
    }
}

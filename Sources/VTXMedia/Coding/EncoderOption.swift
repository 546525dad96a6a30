/// An option under the encoder's own name: x264's `aq-mode=3`.
package struct EncoderOption: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension EncoderOption: CustomStringConvertible {
    package var description: String { "\(name)=\(value)" }

    /// Parses `NAME=VALUE`. Neither may contain a character that is special in libavutil's dictionaries, which parse
    /// the text next.
    package init?(_ text: some StringProtocol) {
        let words = String(text).split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 2, Self.isName(words[0]), Self.isValue(words[1]) else { return nil }
        self.init(words[0], words[1])
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    }

    private static func isValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isLetterOrDigit || "-+.,/".utf8.contains($0) }
    }
}

extension [EncoderOption] {
    /// The text that `init(text:)` parses.
    package var text: String { map(\.description).joined(separator: ":") }

    /// Parses `NAME=VALUE:NAME=VALUE`; nil for anything else, for more than 64 options, and if one occurs twice.
    package init?(text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let options = parts.compactMap { EncoderOption($0) }
        guard options.count == parts.count, options.count <= 64, Set(options.map(\.name)).count == options.count
        else { return nil }
        self = options
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

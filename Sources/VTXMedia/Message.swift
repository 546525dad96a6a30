/// Text for people in which options are named as data, because each program spells them its own way:
/// `"\(option: .hardware, "off") helps"`.
/// A command prints `--hw off helps`, and a service `hardware=off helps`.
///
/// Its JSON form is one string. Where the encoder's `userInfo` has a `Message.Spelling`, it is the spelt text, else it
/// keeps the options as data.
package struct Message: Sendable, Hashable {
    /// How a program writes an option, with the value where one is given.
    package typealias Spelling = @Sendable (OptionName, _ value: String?) -> String

    /// The text; an option is `name` or `name=value` between two marks.
    private var marked: String

    /// Plain text.
    package init(_ text: some StringProtocol) { marked = Self.withoutMarks(String(text)) }

    private init(marked: String) { self.marked = marked }

    /// The text with the options spelt.
    package func text(_ spelling: Spelling) -> String {
        guard marked.utf8.contains(Self.mark.utf8.first!) else { return marked }
        let parts = marked.split(separator: Self.mark, omittingEmptySubsequences: false)
        return parts.enumerated().map { $0.isMultiple(of: 2) ? String($1) : Self.spell($1, spelling) }.joined()
    }

    package var isEmpty: Bool { marked.isEmpty }
    package func contains(_ part: some StringProtocol) -> Bool { description.contains(part) }
    package func hasPrefix(_ prefix: String) -> Bool { description.hasPrefix(prefix) }
    package func hasSuffix(_ suffix: String) -> Bool { description.hasSuffix(suffix) }

    package static func + (left: Message, right: Message) -> Message {
        Message(marked: left.marked + right.marked)
    }

    package static func += (left: inout Message, right: Message) { left.marked += right.marked }

    /// SO of ECMA-48: no text for people has it.
    private static let mark = "\u{E}"

    private static func withoutMarks(_ text: String) -> String {
        text.contains(mark) ? text.replacing(mark, with: "\u{FFFD}") : text
    }

    private static func spell(_ option: Substring, _ spelling: Spelling) -> String {
        let parts = option.split(separator: "=", maxSplits: 1)
        guard let name = parts.first.flatMap({ OptionName(rawValue: String($0)) }) else { return String(option) }
        return spelling(name, parts.count == 2 ? String(parts[1]) : nil)
    }
}

extension Message: CustomStringConvertible {
    /// Spelt as data: `hardware=off`.
    package var description: String { text { name, value in name.rawValue + (value.map { "=\($0)" } ?? "") } }
}

extension Message: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var marked = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { marked += literal }

        package mutating func appendInterpolation(_ value: some Any) { marked += Message.withoutMarks("\(value)") }

        package mutating func appendInterpolation(_ message: Message) { marked += message.marked }

        /// An option, with the value that is meant.
        package mutating func appendInterpolation(option: OptionName, _ value: String? = nil) {
            let given = value.map { "=" + Message.withoutMarks($0) } ?? ""
            marked += Message.mark + option.rawValue + given + Message.mark
        }
    }

    package init(stringLiteral value: String) { self.init(marked: value) }
    package init(stringInterpolation: StringInterpolation) { self.init(marked: stringInterpolation.marked) }
}

extension Message: Codable {
    /// Where an encoder finds a `Spelling`.
    package static let spelling = CodingUserInfoKey(rawValue: "spelling")!

    package init(from decoder: any Decoder) throws {
        self.init(marked: try decoder.singleValueContainer().decode(String.self))
    }

    package func encode(to encoder: any Encoder) throws {
        let spelling = encoder.userInfo[Self.spelling] as? Spelling
        try (spelling.map(text) ?? marked).encode(to: encoder)
    }
}

extension [Message] {
    package func joined(separator: String) -> Message {
        guard let first else { return "" }
        return dropFirst().reduce(first) { $0 + Message(separator) + $1 }
    }
}

/// What can be asked for. The raw values are the names in JSON; every program has its own way to spell them.
package enum OptionName: String, Sendable, Hashable, CaseIterable, Codable {
    case codec
    case quality
    case bitrate
    case maxBitrate
    case preset
    case target
    case targetSize
    case tune
    case encoderOptions
    case profile
    case keyFrameInterval
    case bFrames
    case crop
    case rotate
    case flip
    case size
    case maxSize
    case scaling
    case frameRate
    case deinterlace
    case filter
    case burnSubtitles
    case denoise
    case sharpen
    case dynamicRange
    case rotatePixels
    case hardware
    case device
    case lowPower
    case asyncDepth
    case bDepth
    case parallel
    case segments
    case failOnFallback
    case audio
    case audioBitrate
    case audioChannels
    case loudness
    case audioTrack
    case copyVideo
    case videoStream
    case audioStreams
    case subtitleStreams
    case addAudio
    case addSubtitles
    case dataStreams
    case attachments
    case chapters
    case metadata
    case inputFrameRate
    case start
    case duration
    case timestamps
    case overwrite
    case replace
    case format
    case fragmented
    case maxSizeRatio
    case hls
    case dash
    case ladder
    case segmentDuration
    case verify
    case journal
    case restart
    case workDirectory
    /// Of a command line: where outputs go.
    case outputDirectory
    case failOnDowngrade
    /// Of a mux.
    case parameterSets
    /// Of an extraction.
    case dropDelimiters
}

/// Text for users that contains option names as data, because each program spells options its own way.
///
/// `"\(option: .hardware, "off") helps"` reads
/// `--hw off helps` in a command and `hardware=off helps` in a service.
///
/// The JSON form is a string. If the encoder's `userInfo` contains a `Message.Spelling`, the options are spelled out;
/// otherwise they stay data.
package struct Message: Sendable, Hashable {
    /// Returns an option in a program's spelling, with a value if given.
    package typealias Spelling = @Sendable (OptionName, _ value: String?) -> String

    /// The text; an option is `name` or `name=value` between two marks.
    private var marked: String

    /// Creates a message of plain text.
    package init(_ text: some StringProtocol) { marked = Self.withoutMarks(String(text)) }

    private init(marked: String) { self.marked = marked }

    /// Returns the text with its options spelled out.
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

    /// SO (shift out) of ECMA-48, which does not occur in text for users.
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
    /// The text with its options in the neutral form `hardware=off`.
    package var description: String { text { name, value in name.rawValue + (value.map { "=\($0)" } ?? "") } }
}

extension Message: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var marked = ""

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { marked += literal }

        package mutating func appendInterpolation(_ value: some Any) { marked += Message.withoutMarks("\(value)") }

        package mutating func appendInterpolation(_ message: Message) { marked += message.marked }

        /// Appends an option, with a value if given.
        package mutating func appendInterpolation(option: OptionName, _ value: String? = nil) {
            let given = value.map { "=" + Message.withoutMarks($0) } ?? ""
            marked += Message.mark + option.rawValue + given + Message.mark
        }
    }

    package init(stringLiteral value: String) { self.init(marked: value) }
    package init(stringInterpolation: StringInterpolation) { self.init(marked: stringInterpolation.marked) }
}

extension Message: Codable {
    /// The `userInfo` key of a `Spelling`.
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

/// The options of all programs. The raw values are the names in JSON; each program has its own spelling.
package enum OptionName: String, Sendable, Hashable, CaseIterable, Codable {
    case codec
    case quality
    case bitrate
    case twoPass
    case maxBitrate
    case preset
    case target
    case targetSize
    case tune
    case encoderOptions
    case profile
    case bitDepth
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
    case otherVideo
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
    case skipCodecs
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
    /// The directory of the outputs, for a command line.
    case outputDirectory
    case failOnDowngrade
    /// For muxing.
    case parameterSets
    /// For extracting.
    case dropDelimiters
}

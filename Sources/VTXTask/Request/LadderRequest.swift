import VTXMedia

/// The renditions of a video for adaptive streaming (RFC 8216: Variant Streams).
package enum LadderRequest: Sendable, Hashable {
    /// Chosen by the source.
    case auto
    /// The renditions, the largest first.
    case list([Rendition])

    /// A size and bit rate of the video.
    package struct Rendition: Sendable, Hashable, Codable {
        /// The height of a 16:9 frame. Other aspect ratios are fitted into that frame, in landscape or portrait.
        package var height: Int
        /// The average in bits per second.
        package var bitrate: Int

        package init(_ height: Int, _ bitrate: Int) { (self.height, self.bitrate) = (height, bitrate) }
    }

    package static let maxCount = 12
    package static let heights = 96...4320

    /// The codecs of audio with more than two channels; others are converted to AAC, and stereo always.
    package static let audioCodecs: [AudioCodec] = [.aac] + surroundCodecs
    /// Not every browser plays these.
    package static let surroundCodecs: [AudioCodec] = [.ac3, .eac3]
}

extension LadderRequest {
    /// Parses `auto`, or `HEIGHT:BITRATE` for each rendition: `1080:5M,720:3M`; nil for anything else.
    package init?(_ text: String) {
        if text == "auto" {
            self = .auto
            return
        }
        let renditions = text.split(separator: ",", omittingEmptySubsequences: false).map(Rendition.init)
        guard !renditions.contains(nil), renditions.count <= Self.maxCount else { return nil }
        let sorted = renditions.compactMap(\.self).sorted { ($0.height, $0.bitrate) > ($1.height, $1.bitrate) }
        guard Set(sorted).count == sorted.count else { return nil }
        self = .list(sorted)
    }

    /// The text for `init(_:)`.
    package var text: String {
        switch self {
        case .auto: "auto"
        case .list(let renditions): renditions.map(\.text).joined(separator: ",")
        }
    }
}

extension LadderRequest.Rendition {
    fileprivate init?(_ text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].consists(of: "0123456789"), let height = Int(parts[0]),
            LadderRequest.heights.contains(height), let bitrate = Bitrate.parse(String(parts[1])),
            (10_000...1_000_000_000).contains(bitrate)
        else { return nil }
        self.init(height, bitrate)
    }

    fileprivate var text: String { "\(height):\(bitrate.isMultiple(of: 1000) ? "\(bitrate / 1000)k" : "\(bitrate)")" }
}

extension TranscodeRequest {
    /// Whether the output is a directory with several renditions, which each of these options implies.
    package var hasRenditions: Bool { ladder != nil || writesHLS || writesDASH }

    /// The option that implies several renditions.
    var ladderOption: OptionName { writesHLS ? .hls : writesDASH ? .dash : .ladder }
}

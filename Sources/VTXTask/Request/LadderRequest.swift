import VTXMedia

/// Which renditions of a video there are, for players that choose among them (RFC 8216: Variant Streams).
package enum LadderRequest: Sendable, Hashable {
    /// By the source.
    case auto
    /// The largest first.
    case list([Rendition])

    /// One size and rate of the video.
    package struct Rendition: Sendable, Hashable, Codable {
        /// Of a picture of 16:9; others fit into that, upright or lying.
        package var height: Int
        /// Bits per second on average.
        package var bitrate: Int

        package init(_ height: Int, _ bitrate: Int) { (self.height, self.bitrate) = (height, bitrate) }
    }

    package static let maxCount = 12
    package static let heights = 96...4320
}

extension LadderRequest {
    /// Reads `auto`, or `HEIGHT:BITRATE` for each rendition: `1080:5M,720:3M`; nil for anything else.
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

    /// What `init(_:)` reads.
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
    /// The output is a directory with several renditions; each of the options says so.
    package var hasRenditions: Bool { ladder != nil || writesHLS || writesDASH }

    /// The option by which it is known that there are several renditions.
    var ladderOption: OptionName { writesHLS ? .hls : writesDASH ? .dash : .ladder }
}

/// Bits per second, as people write them.
package enum Bitrate {
    /// nil for what is not a number with k, M or G after it, and for what no Int holds.
    package static func parse(_ text: String) -> Int? {
        let factor: Double? =
            switch text.last {
            case "k", "K": 1e3
            case "m", "M": 1e6
            case "g", "G": 1e9
            default: nil
            }
        let digits = factor == nil ? text[...] : text.dropLast()
        guard let number = digits.plainDecimal else { return nil }
        return Int(exactly: (number * (factor ?? 1)).rounded())
    }
}

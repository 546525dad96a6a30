/// The sources that are skipped because of their video's codec.
package enum SkippedCodecs: Sendable, Hashable {
    /// The codec that the output would have, if only the encoding would change.
    case auto
    /// These codecs.
    case only([String])

    package static let nothing = SkippedCodecs.only([])

    /// Codecs by libavcodec's names.
    package static let names = ["h264", "hevc", "av1", "vp9", "vp8", "mpeg4", "mpeg2video", "vc1"]

    package init?(_ text: String) {
        switch text {
        case "none": self = .nothing
        case "auto": self = .auto
        default:
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard names.allSatisfy(Self.names.contains), Set(names).count == names.count else { return nil }
            self = .only(names)
        }
    }

    package var text: String {
        switch self {
        case .auto: "auto"
        case .only(let names): names.isEmpty ? "none" : names.joined(separator: ",")
        }
    }
}

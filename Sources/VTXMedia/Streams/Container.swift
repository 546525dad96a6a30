/// The files that vtx writes.
public enum Container: String, Sendable, Hashable, CaseIterable, Codable {
    case mp4
    case mov
    case mkv
    case webm
    case ts
    /// An H.264 byte stream, Annex B.
    case h264
    /// An HEVC byte stream, Annex B.
    case h265

    /// The container that a file name's extension asks for; nil for an extension that vtx does not write.
    public init?(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(wanted) }) else { return nil }
        self = container
    }

    /// The extensions that ask for it, without their dots; the usual one first.
    package var fileExtensions: [String] {
        switch self {
        case .mp4: ["mp4", "m4v"]
        case .mov: ["mov", "qt"]
        case .mkv: ["mkv"]
        case .webm: ["webm"]
        case .ts: ["ts", "m2ts", "mts"]
        case .h264: ["h264", "264", "avc"]
        case .h265: ["h265", "265", "hevc"]
        }
    }

    /// How people name it where there is no file name: its codec, where it is one's byte stream.
    package var name: String { self == .h265 ? "hevc" : rawValue }

    /// The extension of an output that is to be like its input: the same where that is a container that vtx writes and
    /// that holds the codec.
    ///
    /// - Parameter codec: nil where it is not known yet; it is HEVC or H.264 then.
    package static func outputExtension(likeInput pathExtension: String, for codec: VideoCodec?) -> String {
        let container = Container(fileExtension: pathExtension).map { !$0.isElementaryStream && $0.holds(codec) }
        return container ?? false ? pathExtension : Container.mp4.rawValue
    }

    private func holds(_ codec: VideoCodec?) -> Bool {
        codec.map(videoCodecs.contains) ?? videoCodecs.contains(.hevc)
    }

    /// The codec of containers and elementary streams that hold no other; nil where there is a choice.
    public var onlyCodec: VideoCodec? { videoCodecs.count == 1 ? videoCodecs[0] : nil }

    /// The codecs that vtx encodes and the container holds.
    package var videoCodecs: [VideoCodec] {
        switch self {
        case .mp4, .mkv: VideoCodec.allCases
        case .mov, .ts: [.h264, .hevc]
        case .webm: [.av1]
        case .h264: [.h264]
        case .h265: [.hevc]
        }
    }

    public var isElementaryStream: Bool { self == .h264 || self == .h265 }
}

extension Sequence<Container> {
    /// All that a name may end in to ask for one of them: `.mp4`, `.m4v`.
    package var pathExtensions: [String] { flatMap(\.fileExtensions).map { ".\($0)" } }
}

extension Container: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mp4: "MP4"
        case .mov: "QuickTime"
        case .mkv: "Matroska"
        case .webm: "WebM"
        case .ts: "MPEG-TS"
        case .h264: "an H.264 byte stream"
        case .h265: "an HEVC byte stream"
        }
    }
}

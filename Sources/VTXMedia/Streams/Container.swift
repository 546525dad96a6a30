/// A container or elementary stream that vtx writes.
public enum Container: String, Sendable, Hashable, CaseIterable, Codable {
    case mp4
    case mov
    case mkv
    case webm
    case ts
    /// An H.264 byte stream in Annex B format.
    case h264
    /// An HEVC byte stream in Annex B format.
    case h265

    /// Creates the container for a file extension; nil for an extension that vtx does not write.
    public init?(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(wanted) }) else { return nil }
        self = container
    }

    /// The file extensions without dots, the usual one first.
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

    /// The name where there is no file name; for an elementary stream, that of its codec.
    package var name: String { self == .h265 ? "hevc" : rawValue }

    /// Returns the file extension of an output that keeps its input's container, if vtx writes it and it supports the
    /// codec.
    ///
    /// - Parameter codec: nil if not known yet; then HEVC or H.264.
    package static func outputExtension(likeInput pathExtension: String, for codec: VideoCodec?) -> String {
        let container = Container(fileExtension: pathExtension).map { !$0.isElementaryStream && $0.holds(codec) }
        return container ?? false ? pathExtension : Container.mp4.rawValue
    }

    private func holds(_ codec: VideoCodec?) -> Bool {
        codec.map(videoCodecs.contains) ?? videoCodecs.contains(.hevc)
    }

    /// The codec of a container or elementary stream that supports only one; nil if there is a choice.
    public var onlyCodec: VideoCodec? { videoCodecs.count == 1 ? videoCodecs[0] : nil }

    /// The codecs that vtx encodes and the container supports.
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
    /// The file extensions of all containers, with dots: `.mp4`, `.m4v`.
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

/// The files that vtx writes.
public enum Container: String, Sendable, Hashable, CaseIterable, Codable {
    case mp4
    case mov
    case mkv
    case ts
    /// An H.264 byte stream, Annex B.
    case h264
    /// An HEVC byte stream, Annex B.
    case h265

    /// The container that a file name's extension asks for; nil for an extension that vtx does not write.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "mp4", "m4v": self = .mp4
        case "mov", "qt": self = .mov
        case "mkv": self = .mkv
        case "ts", "m2ts", "mts": self = .ts
        case "h264", "264", "avc": self = .h264
        case "h265", "265", "hevc": self = .h265
        default: return nil
        }
    }

    /// The one codec that an elementary stream holds; nil for containers.
    public var onlyCodec: VideoCodec? {
        switch self {
        case .h264: .h264
        case .h265: .hevc
        default: nil
        }
    }

    public var isElementaryStream: Bool { onlyCodec != nil }
}

extension Container: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mp4: "MP4"
        case .mov: "QuickTime"
        case .mkv: "Matroska"
        case .ts: "MPEG-TS"
        case .h264: "an H.264 byte stream"
        case .h265: "an HEVC byte stream"
        }
    }
}

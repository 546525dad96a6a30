/// The codecs that vtx encodes to.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable, Codable {
    /// ITU-T H.264 | ISO/IEC 14496-10.
    case h264
    /// ITU-T H.265 | ISO/IEC 23008-2.
    case hevc
}

extension VideoCodec: CustomStringConvertible {
    public var description: String { self == .h264 ? "H.264" : "HEVC" }
}

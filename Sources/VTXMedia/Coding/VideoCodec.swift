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

/// The profiles that can be asked for, by the specifications' names (H.264 Annex A, H.265 Annex A).
public enum VideoProfile: String, Sendable, Hashable, CaseIterable, Codable {
    case baseline
    case h264Main = "main"
    case high
    case high10
    case high422
    case high444
    case hevcMain = "hevc-main"
    case main10
    case main422x10 = "main422-10"
    case main444x8 = "main444-8"
    case main444x10 = "main444-10"
}

extension VideoProfile {
    public var codec: VideoCodec {
        switch self {
        case .baseline, .h264Main, .high, .high10, .high422, .high444: .h264
        case .hevcMain, .main10, .main422x10, .main444x8, .main444x10: .hevc
        }
    }

    /// The name without the codec, as users and encoders write it: `main` for both codecs.
    public var name: String { self == .hevcMain ? "main" : rawValue }

    /// The name, with the codec where both codecs have a profile of that name: `hevc-main`.
    package var qualifiedName: String { name == "main" ? "\(codec.rawValue)-main" : name }

    /// Finds a profile by the name a user gave; `main` means the codec's own Main.
    public init?(named name: String, codec: VideoCodec) {
        guard let profile = Self.allCases.first(where: { $0.codec == codec && $0.name == name })
        else { return nil }
        self = profile
    }

    /// The deepest samples the profile holds, in bits.
    public var maxBitDepth: Int {
        switch self {
        case .baseline, .h264Main, .high, .hevcMain, .main444x8: 8
        case .high10, .high422, .main10, .main422x10, .main444x10: 10
        case .high444: 10
        }
    }

    /// The finest chroma the profile holds.
    public var maxChroma: ChromaSampling {
        switch self {
        case .baseline, .h264Main, .high, .high10, .hevcMain, .main10: .yuv420
        case .high422, .main422x10: .yuv422
        case .high444, .main444x8, .main444x10: .yuv444
        }
    }

    /// Baseline has neither B slices nor CABAC (H.264 A.2.1).
    public var allowsBFrames: Bool { self != .baseline }
}

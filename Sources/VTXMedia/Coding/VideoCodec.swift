/// A video codec that vtx encodes.
public enum VideoCodec: String, Sendable, Hashable, CaseIterable, Codable {
    /// H.264/AVC (ITU-T H.264 | ISO/IEC 14496-10).
    case h264
    /// H.265/HEVC (ITU-T H.265 | ISO/IEC 23008-2).
    case hevc
    /// AV1 (AV1 Bitstream & Decoding Process Specification).
    case av1
}

extension VideoCodec: CustomStringConvertible {
    public var description: String {
        switch self {
        case .h264: "H.264"
        case .hevc: "HEVC"
        case .av1: "AV1"
        }
    }
}

/// A codec whose streams consist of NAL units with parameter sets. AV1 has open bitstream units instead.
public enum NALCodec: String, Sendable, Hashable, CaseIterable, Codable {
    case h264
    case hevc
}

extension NALCodec: CustomStringConvertible {
    public var videoCodec: VideoCodec { self == .h264 ? .h264 : .hevc }
    public var description: String { videoCodec.description }
}

extension VideoCodec {
    /// nil for a codec without NAL units.
    public var nal: NALCodec? { NALCodec(rawValue: rawValue) }

    package static let ofNALUnits = NALCodec.allCases.map(\.videoCodec)
}

/// A profile, with its name in the specification (H.264 Annex A, H.265 Annex A, AV1 Annex A).
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
    case av1Main = "av1-main"
}

extension VideoProfile {
    public var codec: VideoCodec {
        switch self {
        case .baseline, .h264Main, .high, .high10, .high422, .high444: .h264
        case .hevcMain, .main10, .main422x10, .main444x8, .main444x10: .hevc
        case .av1Main: .av1
        }
    }

    /// The name without the codec, as users and encoders write it: `main` for all codecs.
    public var name: String { self == .hevcMain || self == .av1Main ? "main" : rawValue }

    /// The name, with the codec if several codecs have a profile of this name: `hevc-main`.
    package var qualifiedName: String { name == "main" ? "\(codec.rawValue)-main" : name }

    /// Creates a profile from the name a user entered; `main` is the Main profile of the codec.
    public init?(named name: String, codec: VideoCodec) {
        guard let profile = Self.allCases.first(where: { $0.codec == codec && $0.name == name })
        else { return nil }
        self = profile
    }

    /// The maximum bit depth of the profile.
    public var maxBitDepth: Int {
        switch self {
        case .baseline, .h264Main, .high, .hevcMain, .main444x8: 8
        case .high10, .high422, .main10, .main422x10, .main444x10, .av1Main: 10
        case .high444: 10
        }
    }

    /// The highest chroma resolution of the profile.
    public var maxChroma: ChromaSampling {
        switch self {
        case .baseline, .h264Main, .high, .high10, .hevcMain, .main10, .av1Main: .yuv420
        case .high422, .main422x10: .yuv422
        case .high444, .main444x8, .main444x10: .yuv444
        }
    }

    /// Whether the profile has B frames. Baseline has neither B slices nor CABAC (H.264 A.2.1).
    public var allowsBFrames: Bool { self != .baseline }
}

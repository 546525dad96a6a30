package import VTXMedia

/// A `VAProfile`.
package struct Profile: RawConstant {
    package var rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// No codec: video processing and statistics.
    package static let none = Profile(rawValue: -1)
    package static let h264Main = Profile(rawValue: 6)
    package static let h264High = Profile(rawValue: 7)
    package static let h264ConstrainedBaseline = Profile(rawValue: 13)
    package static let h264High10 = Profile(rawValue: 36)
    package static let hevcMain = Profile(rawValue: 17)
    package static let hevcMain10 = Profile(rawValue: 18)
    package static let hevcMain422x10 = Profile(rawValue: 24)
    package static let hevcMain444 = Profile(rawValue: 26)
    package static let hevcMain444x10 = Profile(rawValue: 27)
    package static let av1Main = Profile(rawValue: 32)

    /// `VAProfile*` of va.h. Those from 36 on are newer than libva 2.17, so they are numbers here.
    package static let table: [Int32: String] = [
        -1: "None", 0: "MPEG2Simple", 1: "MPEG2Main", 2: "MPEG4Simple", 3: "MPEG4AdvancedSimple", 4: "MPEG4Main",
        5: "H264Baseline", 6: "H264Main", 7: "H264High", 8: "VC1Simple", 9: "VC1Main", 10: "VC1Advanced",
        11: "H263Baseline", 12: "JPEGBaseline", 13: "H264ConstrainedBaseline", 14: "VP8Version0_3",
        15: "H264MultiviewHigh", 16: "H264StereoHigh", 17: "HEVCMain", 18: "HEVCMain10", 19: "VP9Profile0",
        20: "VP9Profile1", 21: "VP9Profile2", 22: "VP9Profile3", 23: "HEVCMain12", 24: "HEVCMain422_10",
        25: "HEVCMain422_12", 26: "HEVCMain444", 27: "HEVCMain444_10", 28: "HEVCMain444_12", 29: "HEVCSccMain",
        30: "HEVCSccMain10", 31: "HEVCSccMain444", 32: "AV1Profile0", 33: "AV1Profile1", 34: "HEVCSccMain444_10",
        35: "Protected", 36: "H264High10", 37: "VVCMain10", 38: "VVCMultilayerMain10",
    ]
}

/// A `VAEntrypoint`: the use of a profile.
package struct Entrypoint: RawConstant {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Decoding.
    package static let vld = Entrypoint(rawValue: 1)
    package static let encSlice = Entrypoint(rawValue: 6)
    package static let encPicture = Entrypoint(rawValue: 7)
    /// Encoding with fixed-function hardware only; Intel calls it low power.
    package static let encSliceLP = Entrypoint(rawValue: 8)
    package static let videoProc = Entrypoint(rawValue: 10)

    /// `VAEntrypoint*` of va.h.
    package static let table: [UInt32: String] = [
        1: "VLD", 2: "IZZ", 3: "IDCT", 4: "MoComp", 5: "Deblocking", 6: "EncSlice", 7: "EncPicture", 8: "EncSliceLP",
        10: "VideoProc", 11: "FEI", 12: "Stats", 13: "ProtectedTEEComm", 14: "ProtectedContent",
    ]
}

extension Entrypoint {
    /// Whether it encodes video. Which of the two a GPU supports depends on its generation and driver.
    package var encodesVideo: Bool { self == .encSlice || self == .encSliceLP }
}

/// The `VAProfile` for each of vtx's profiles. VA-API has none for profiles that are missing here.
private let profileTable: [(profile: VideoProfile, va: Profile)] = [
    // No driver supports plain Baseline: its additional tools (FMO, ASO) are in no hardware, and no encoder uses them.
    (.baseline, .h264ConstrainedBaseline),
    (.h264Main, .h264Main),
    (.high, .h264High),
    (.high10, .h264High10),
    (.hevcMain, .hevcMain),
    (.main10, .hevcMain10),
    (.main422x10, .hevcMain422x10),
    (.main444x8, .hevcMain444),
    (.main444x10, .hevcMain444x10),
    (.av1Main, .av1Main),
]

extension VideoProfile {
    /// The `VAProfile`; nil if VA-API has none, for example for H.264 High 4:2:2.
    package var vaProfile: Profile? { profileTable.first { $0.profile == self }?.va }
}

extension Profile {
    /// vtx's profile; nil for profiles that vtx does not encode.
    package var videoProfile: VideoProfile? { profileTable.first { $0.va == self }?.profile }

    /// The codec to encode; nil for profiles that vtx does not encode.
    package var videoCodec: VideoCodec? { videoProfile?.codec }
}

extension RTFormat {
    /// Creates the format for a chroma subsampling and bit depth; nil if there is none.
    package init?(_ chroma: ChromaSampling, bitDepth: Int) {
        switch (chroma, bitDepth) {
        case (.yuv420, 8): self = .yuv420
        case (.yuv422, 8): self = .yuv422
        case (.yuv444, 8): self = .yuv444
        case (.monochrome, 8): self = .yuv400
        case (.yuv420, 10): self = .yuv420x10
        case (.yuv422, 10): self = .yuv422x10
        case (.yuv444, 10): self = .yuv444x10
        case (.yuv420, 12): self = .yuv420x12
        default: return nil
        }
    }
}

extension VideoProfile {
    /// The surface format for the highest bit depth and chroma sampling of the profile.
    package var rtFormat: RTFormat? { RTFormat(maxChroma, bitDepth: maxBitDepth) }
}

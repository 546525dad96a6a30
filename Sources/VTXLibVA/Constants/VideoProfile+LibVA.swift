package import VTXMedia

/// Which `VAProfile` holds what a profile of ours asks for. A profile that is not here has none in VA-API.
private let profileTable: [(profile: VideoProfile, va: Profile)] = [
    // Plain Baseline is not in any driver: its own tools (FMO, ASO) are in no hardware, and no encoder writes them.
    (.baseline, .h264ConstrainedBaseline),
    (.h264Main, .h264Main),
    (.high, .h264High),
    (.high10, .h264High10),
    (.hevcMain, .hevcMain),
    (.main10, .hevcMain10),
    (.main422x10, .hevcMain422x10),
    (.main444x8, .hevcMain444),
    (.main444x10, .hevcMain444x10),
]

extension VideoProfile {
    /// The `VAProfile`; nil for what VA-API does not have, for example H.264 High 4:2:2.
    package var vaProfile: Profile? { profileTable.first { $0.profile == self }?.va }
}

extension Profile {
    /// Our word for it; nil for profiles that nothing is encoded to.
    package var videoProfile: VideoProfile? { profileTable.first { $0.va == self }?.profile }

    /// The codec that is encoded to; nil for all others.
    package var videoCodec: VideoCodec? { videoProfile?.codec }
}

extension RTFormat {
    /// The format for samples of such a sampling and depth; nil where there is none.
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
    /// The deepest and finest samples that the profile holds, as a surface's format.
    package var rtFormat: RTFormat? { RTFormat(maxChroma, bitDepth: maxBitDepth) }
}

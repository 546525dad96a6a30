/// The Dolby Vision configuration in a container (C: `AVDOVIDecoderConfigurationRecord`; the boxes `dvcC` and `dvvC`).
package struct DolbyVision: Sendable, Hashable, Codable {
    package var profile: Int
    /// The compatibility of the base layer without the metadata: 1 is HDR10, 2 SDR, 4 HLG, 0 none.
    package var compatibility: Int
    package var level: Int

    package init(profile: Int, compatibility: Int, level: Int) {
        self.profile = profile
        self.compatibility = compatibility
        self.level = level
    }

    /// The usual name: `8.4`.
    package var name: String { profile == 8 ? "\(profile).\(compatibility)" : "\(profile)" }
}

extension DolbyVision {
    /// The maximum samples per second and width of each level.
    private static let limits: [(level: Int, samples: Double, width: Int)] = [
        (1, 1280 * 720 * 24, 1280), (2, 1280 * 720 * 30, 1280), (3, 1920 * 1080 * 24, 1920),
        (4, 1920 * 1080 * 30, 2560), (5, 1920 * 1080 * 60, 3840), (6, 3840 * 2160 * 24, 3840),
        (7, 3840 * 2160 * 30, 3840), (8, 3840 * 2160 * 48, 3840), (9, 3840 * 2160 * 60, 3840),
        (10, 3840 * 2160 * 120, 3840), (11, 3840 * 2160 * 120, 7680), (12, 7680 * 4320 * 60, 7680),
    ]

    /// Returns the lowest level that supports a frame size and rate.
    package static func level(of size: PixelSize, rate: Rational) -> Int {
        let samples = Double(size.width * size.height) * (rate.isPositive ? rate.value : 30)
        let fitting = limits.first { samples <= $0.samples && size.width <= $0.width }
        return fitting?.level ?? 13
    }
}

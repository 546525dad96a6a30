/// A level of H.264 or HEVC: `3.1`. It bounds what a decoder must be able to do (H.264 Annex A, H.265 Annex A).
public struct VideoLevel: Sendable, Hashable, Codable, Comparable {
    /// The level times ten: 31 for level 3.1 (`level_idc` of H.264).
    public let number: Int

    public init(number: Int) { self.number = number }

    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

extension VideoLevel: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    public init(floatLiteral value: Double) { self.init(number: Int((value * 10).rounded())) }
    public init(integerLiteral value: Int) { self.init(number: value * 10) }
}

extension VideoLevel: CustomStringConvertible {
    public var description: String { number % 10 == 0 ? "\(number / 10)" : "\(number / 10).\(number % 10)" }
}

/// A profile, with a level or the encoder's choice of one (VideoToolbox: `kVTProfileLevel_H264_Baseline_3_1`,
/// `kVTProfileLevel_HEVC_Main_AutoLevel`).
public struct ProfileLevel: Sendable, Hashable {
    public var profile: VideoProfile
    /// nil for the lowest level that size, frame rate and bit rate allow (`AutoLevel`).
    public var level: VideoLevel?

    public init(_ profile: VideoProfile, _ level: VideoLevel? = nil) {
        self.profile = profile
        self.level = level
    }
}

extension ProfileLevel: CustomStringConvertible {
    public var description: String { profile.name + (level.map { " \($0)" } ?? "") }
}

/// What a stream of a level may contain (H.264 Table A-1; H.265 Tables A.8 and A.9, Main tier).
package struct LevelLimits: Sendable, Hashable {
    package var level: VideoLevel
    /// The size of the blocks that pictures are counted in: macroblocks of H.264, luma samples of HEVC.
    private var blockSize: Int
    /// In blocks per second (`MaxMBPS`, `MaxLumaSr`).
    private var maxBlockRate: Int
    /// In blocks (`MaxFS`, `MaxLumaPs`).
    private var maxBlockCount: Int
    /// The maximum rate and size of the decoder's buffer (`MaxBR`, `MaxCPB`).
    package var vbv: VBV

    private init(_ level: Int, _ blockSize: Int, _ limits: Limits, bitsPerUnit: Int) {
        (self.level, self.blockSize) = (VideoLevel(number: level), blockSize)
        (maxBlockRate, maxBlockCount) = (limits.rate, limits.count)
        vbv = VBV(bitrate: limits.bits * bitsPerUnit, bufferSize: limits.buffer * bitsPerUnit)
    }

    /// Whether pictures of this size are allowed. No side may be longer than 8 times that of a square of all blocks.
    package func holds(_ size: PixelSize) -> Bool {
        let (columns, rows) = blocks(size)
        return columns * rows <= maxBlockCount && max(columns, rows) * max(columns, rows) <= 8 * maxBlockCount
    }

    package func holds(_ size: PixelSize, at frameRate: Rational) -> Bool {
        let (columns, rows) = blocks(size)
        return holds(size) && Double(columns * rows) * frameRate.value <= Double(maxBlockRate)
    }

    private func blocks(_ size: PixelSize) -> (columns: Int, rows: Int) {
        ((size.width + blockSize - 1) / blockSize, (size.height + blockSize - 1) / blockSize)
    }
}

extension LevelLimits {
    /// Returns the levels of the profile, lowest first; none for AV1.
    package static func all(of profile: VideoProfile) -> [LevelLimits] {
        switch profile.codec {
        case .h264: h264.map { LevelLimits($0.level, 16, $0.limits, bitsPerUnit: profile.bitsPerRateUnit) }
        case .hevc: hevc.map { LevelLimits($0.level, 1, $0.limits, bitsPerUnit: profile.bitsPerRateUnit) }
        case .av1: []
        }
    }

    package init?(_ level: VideoLevel, of profile: VideoProfile) {
        guard let limits = Self.all(of: profile).first(where: { $0.level == level }) else { return nil }
        self = limits
    }

    private typealias Limits = (rate: Int, count: Int, bits: Int, buffer: Int)

    private static let h264: [(level: Int, limits: Limits)] = [
        (10, (1485, 99, 64, 175)), (11, (3000, 396, 192, 500)), (12, (6000, 396, 384, 1000)),
        (13, (11880, 396, 768, 2000)), (20, (11880, 396, 2000, 2000)), (21, (19800, 792, 4000, 4000)),
        (22, (20250, 1620, 4000, 4000)), (30, (40500, 1620, 10000, 10000)), (31, (108_000, 3600, 14000, 14000)),
        (32, (216_000, 5120, 20000, 20000)), (40, (245_760, 8192, 20000, 25000)),
        (41, (245_760, 8192, 50000, 62500)), (42, (522_240, 8704, 50000, 62500)),
        (50, (589_824, 22080, 135_000, 135_000)), (51, (983_040, 36864, 240_000, 240_000)),
        (52, (2_073_600, 36864, 240_000, 240_000)), (60, (4_177_920, 139_264, 240_000, 240_000)),
        (61, (8_355_840, 139_264, 480_000, 480_000)), (62, (16_711_680, 139_264, 800_000, 800_000)),
    ]

    private static let hevc: [(level: Int, limits: Limits)] = [
        (10, (552_960, 36864, 128, 350)), (20, (3_686_400, 122_880, 1500, 1500)),
        (21, (7_372_800, 245_760, 3000, 3000)), (30, (16_588_800, 552_960, 6000, 6000)),
        (31, (33_177_600, 983_040, 10000, 10000)), (40, (66_846_720, 2_228_224, 12000, 12000)),
        (41, (133_693_440, 2_228_224, 20000, 20000)), (50, (267_386_880, 8_912_896, 25000, 25000)),
        (51, (534_773_760, 8_912_896, 40000, 40000)), (52, (1_069_547_520, 8_912_896, 60000, 60000)),
        (60, (1_069_547_520, 35_651_584, 60000, 60000)), (61, (2_139_095_040, 35_651_584, 120_000, 120_000)),
        (62, (4_278_190_080, 35_651_584, 240_000, 240_000)),
    ]
}

extension VideoProfile {
    /// The bits of a unit of `MaxBR` and `MaxCPB` (H.264 Table A-2, `cpbBrVclFactor`; H.265 Table A.10,
    /// `CpbVclFactor`).
    fileprivate var bitsPerRateUnit: Int {
        switch self {
        case .baseline, .h264Main, .hevcMain, .main10, .av1Main: 1000
        case .high: 1250
        case .high10: 3000
        case .high422, .high444: 4000
        case .main422x10: 1667
        case .main444x8: 2000
        case .main444x10: 2500
        }
    }
}

extension EncoderConfiguration {
    /// What the level allows; nil if the encoder chooses it.
    package var levelLimits: LevelLimits? { level.flatMap { LevelLimits($0, of: profile) } }
}

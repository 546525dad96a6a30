/// What the sample values mean: the code points of ITU-T H.273, as bitstreams and containers carry them.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// H.273 8.1, `colour_primaries`; 2 is "unspecified".
    public var primaries: Int
    /// H.273 8.2, `transfer_characteristics`; 2 is "unspecified".
    public var transfer: Int
    /// H.273 8.3, `matrix_coefficients`; 2 is "unspecified".
    public var matrix: Int
    /// H.273 8.3, `video_full_range_flag`; nil where nothing says so.
    public var isFullRange: Bool?
    /// H.264/H.265 Annex E, `chroma_sample_loc_type`; nil where nothing says so.
    public var chromaLocation: Int?

    public static let unspecifiedCode = 2
    public static let unspecified = ColorDescription()
    /// SDR as HD has it (ITU-R BT.709).
    public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)

    public init(
        primaries: Int = unspecifiedCode, transfer: Int = unspecifiedCode, matrix: Int = unspecifiedCode,
        isFullRange: Bool? = nil, chromaLocation: Int? = nil
    ) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
        self.chromaLocation = chromaLocation
    }

    /// What this description says, and `other` where it says nothing.
    public func filled(from other: ColorDescription) -> ColorDescription {
        let unset = Self.unspecifiedCode
        return ColorDescription(
            primaries: primaries == unset ? other.primaries : primaries,
            transfer: transfer == unset ? other.transfer : transfer,
            matrix: matrix == unset ? other.matrix : matrix,
            isFullRange: isFullRange ?? other.isFullRange,
            chromaLocation: chromaLocation ?? other.chromaLocation)
    }

    /// What players take video of this size for that says nothing of its colors: BT.709 from HD on, else BT.601 of 625 or
    /// 525 lines.
    package static func presumed(of size: PixelSize) -> ColorDescription {
        if size.isHD { return ColorDescription(primaries: 1, transfer: 1, matrix: 1) }
        let system = size.height == 576 ? 5 : 6
        return ColorDescription(primaries: system, transfer: 6, matrix: system)
    }

    /// SMPTE ST 2084 (PQ) or ARIB STD-B67 (HLG).
    public var isHDR: Bool { isPQ || isHLG }
    public var isPQ: Bool { transfer == 16 }
    public var isHLG: Bool { transfer == 18 }
}

/// The mastering display's color volume (SMPTE ST 2086; H.265 D.3.28), in the units of the bitstream.
public struct MasteringDisplay: Sendable, Hashable, Codable {
    /// x and y of a chromaticity, in steps of 0.00002.
    public struct Chromaticity: Sendable, Hashable, Codable {
        public var x: Int
        public var y: Int

        public init(_ x: Int, _ y: Int) {
            self.x = x
            self.y = y
        }
    }

    public var red: Chromaticity
    public var green: Chromaticity
    public var blue: Chromaticity
    public var white: Chromaticity
    /// In steps of 0.0001 cd/m2.
    public var minLuminance: Int
    /// In steps of 0.0001 cd/m2.
    public var maxLuminance: Int

    public init(
        red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity,
        minLuminance: Int, maxLuminance: Int
    ) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
        self.minLuminance = minLuminance
        self.maxLuminance = maxLuminance
    }
}

/// The content's light level (CTA-861.3; H.265 D.3.35), in cd/m2.
public struct ContentLightLevel: Sendable, Hashable, Codable {
    public var maxContent: Int
    public var maxFrameAverage: Int

    public init(maxContent: Int, maxFrameAverage: Int) {
        self.maxContent = maxContent
        self.maxFrameAverage = maxFrameAverage
    }
}

extension MasteringDisplay {
    /// Of a chromaticity (H.265 D.3.28).
    package static let coordinates = 0...50_000
    package static let luminances = 0...Int(UInt32.max)

    /// What the specification allows to be written: encoders refuse the rest.
    package var isExpressible: Bool {
        [red, green, blue, white].allSatisfy { Self.coordinates.contains($0.x) && Self.coordinates.contains($0.y) }
            && Self.luminances.contains(minLuminance) && Self.luminances.contains(maxLuminance)
            // The clause forbids this pair, and x264 holds to it.
            && (minLuminance, maxLuminance) != (50_000, 50_000)
    }
}

extension ContentLightLevel {
    package static let levels = 0...Int(UInt16.max)

    /// Its two numbers have 16 bits (H.265 D.2.35).
    package var isExpressible: Bool { Self.levels.contains(maxContent) && Self.levels.contains(maxFrameAverage) }
}

/// The static metadata of HDR10: either half may be missing.
public struct HDRMetadata: Sendable, Hashable, Codable {
    public var masteringDisplay: MasteringDisplay?
    public var contentLightLevel: ContentLightLevel?

    public init(masteringDisplay: MasteringDisplay? = nil, contentLightLevel: ContentLightLevel? = nil) {
        self.masteringDisplay = masteringDisplay
        self.contentLightLevel = contentLightLevel
    }

    public var isEmpty: Bool { masteringDisplay == nil && contentLightLevel == nil }
}

/// HDR into SDR: what the source's light is, as a tone curve has to know.
public struct ToneMapping: Sendable, Hashable, Codable {
    /// What the source's samples mean, where a frame itself does not say.
    public var source: ColorDescription
    /// Both halves, and nothing in them that no picture can mean.
    public var display: MasteringDisplay
    public var lightLevel: ContentLightLevel

    /// cd/m2 that a display or a picture can have at its brightest. Files hold zeros, and values in the wrong unit.
    private static let plausible = 100...10_000
    /// cd/m2 of HLG's nominal display (ITU-R BT.2100), and of most displays that HDR10 is mastered on.
    private static let usualPeak = 1000

    public init(source: ColorDescription, metadata: HDRMetadata) {
        self.source = source
        let declared = metadata.masteringDisplay.map { $0.maxLuminance / MasteringDisplay.luminanceUnit }
        // HLG is relative to the display that shows it, whatever it was mastered on.
        let candidates = source.isHLG ? [] : [metadata.contentLightLevel?.maxContent, declared]
        let peak = candidates.compactMap(\.self).first(where: Self.plausible.contains) ?? Self.usualPeak
        lightLevel = ContentLightLevel(
            maxContent: peak, maxFrameAverage: min(peak, metadata.contentLightLevel?.maxFrameAverage ?? 0))
        display = metadata.masteringDisplay ?? .bt2020
        guard !Self.plausible.contains(declared ?? 0) else { return }
        display = .bt2020
        display.maxLuminance = peak * MasteringDisplay.luminanceUnit
    }

    /// cd/m2 of the brightest pixel.
    public var peakLuminance: Int { lightLevel.maxContent }

    /// What a frame's samples mean: its own word, then the container's, then what HDR usually is.
    public func meaning(of frame: ColorDescription) -> ColorDescription {
        frame.filled(from: source).filled(from: ColorDescription(primaries: 9, matrix: 9))
    }
}

extension MasteringDisplay {
    /// `luminanceUnit` of them are 1 cd/m2.
    public static let luminanceUnit = 10_000

    /// All of BT.2020, white being D65; 1000 cd/m2.
    static let bt2020 = MasteringDisplay(
        red: Chromaticity(35400, 14600), green: Chromaticity(8500, 39850), blue: Chromaticity(6550, 2300),
        white: Chromaticity(15635, 16450), minLuminance: 50, maxLuminance: 1000 * luminanceUnit)
}

extension ColorDescription {
    /// HLS's word (RFC 8216bis, 4.4.6.2: VIDEO-RANGE).
    package var videoRange: String {
        switch transfer {
        case 16: "PQ"
        case 18: "HLG"
        default: "SDR"
        }
    }
}

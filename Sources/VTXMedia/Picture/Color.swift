import Glibc

/// A color description: the code points of ITU-T H.273, as bitstreams and containers carry them.
public struct ColorDescription: Sendable, Hashable, Codable {
    /// The color primaries (H.273 8.1, `colour_primaries`); 2 is unspecified.
    public var primaries: Int
    /// The transfer characteristics (H.273 8.2, `transfer_characteristics`); 2 is unspecified.
    public var transfer: Int
    /// The matrix coefficients (H.273 8.3, `matrix_coefficients`); 2 is unspecified.
    public var matrix: Int
    /// Whether samples have full range (H.273 8.3, `video_full_range_flag`); nil if unspecified.
    public var isFullRange: Bool?
    /// The location of chroma samples (H.264/H.265 Annex E, `chroma_sample_loc_type`); nil if unspecified.
    public var chromaLocation: Int?

    public static let unspecifiedCode = 2
    public static let unspecified = ColorDescription()
    /// SDR in HD (ITU-R BT.709).
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

    /// Returns this description with its unspecified fields taken from another one.
    public func filled(from other: ColorDescription) -> ColorDescription {
        let unset = Self.unspecifiedCode
        return ColorDescription(
            primaries: primaries == unset ? other.primaries : primaries,
            transfer: transfer == unset ? other.transfer : transfer,
            matrix: matrix == unset ? other.matrix : matrix,
            isFullRange: isFullRange ?? other.isFullRange,
            chromaLocation: chromaLocation ?? other.chromaLocation)
    }

    /// The description that players assume for a frame size if none is declared: BT.709 for HD, otherwise BT.601 in 625
    /// or 525 lines.
    package static func presumed(of size: PixelSize) -> ColorDescription {
        if size.isHD { return ColorDescription(primaries: 1, transfer: 1, matrix: 1) }
        let system = size.height == 576 ? 5 : 6
        return ColorDescription(primaries: system, transfer: 6, matrix: system)
    }

    /// Whether the transfer function is SMPTE ST 2084 (PQ) or ARIB STD-B67 (HLG).
    public var isHDR: Bool { isPQ || isHLG }
    public var isPQ: Bool { transfer == 16 }
    public var isHLG: Bool { transfer == 18 }
    /// The name of the dynamic range in messages.
    package var rangeName: String { isHLG ? "HLG" : isPQ ? "HDR10 (PQ)" : "SDR" }
}

/// The color volume of the mastering display (SMPTE ST 2086; H.265 D.3.28), in the units of the bitstream.
public struct MasteringDisplay: Sendable, Hashable, Codable {
    /// The x and y coordinates of a chromaticity, in steps of 0.00002.
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
    /// The minimum luminance, in steps of 0.0001 cd/m2.
    public var minLuminance: Int
    /// The maximum luminance, in steps of 0.0001 cd/m2.
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

/// The light level of the content (CTA-861.3; H.265 D.3.35), in cd/m2.
public struct ContentLightLevel: Sendable, Hashable, Codable {
    public var maxContent: Int
    public var maxFrameAverage: Int

    public init(maxContent: Int, maxFrameAverage: Int) {
        self.maxContent = maxContent
        self.maxFrameAverage = maxFrameAverage
    }
}

extension MasteringDisplay {
    /// The range of a chromaticity's coordinates (H.265 D.3.28).
    package static let coordinates = 0...50_000
    package static let luminances = 0...Int(UInt32.max)

    /// Whether the specification can express the values. Encoders reject any others.
    package var isExpressible: Bool {
        [red, green, blue, white].allSatisfy { Self.coordinates.contains($0.x) && Self.coordinates.contains($0.y) }
            && Self.luminances.contains(minLuminance) && Self.luminances.contains(maxLuminance)
            // The clause forbids this pair, and x264 holds to it.
            && (minLuminance, maxLuminance) != (50_000, 50_000)
    }
}

extension ContentLightLevel {
    package static let levels = 0...Int(UInt16.max)

    /// Whether both numbers fit into 16 bits (H.265 D.2.35).
    package var isExpressible: Bool { Self.levels.contains(maxContent) && Self.levels.contains(maxFrameAverage) }
}

/// The static metadata of HDR10. Either part may be missing.
public struct HDRMetadata: Sendable, Hashable, Codable {
    public var masteringDisplay: MasteringDisplay?
    public var contentLightLevel: ContentLightLevel?

    public init(masteringDisplay: MasteringDisplay? = nil, contentLightLevel: ContentLightLevel? = nil) {
        self.masteringDisplay = masteringDisplay
        self.contentLightLevel = contentLightLevel
    }

    public var isEmpty: Bool { masteringDisplay == nil && contentLightLevel == nil }

    /// Returns the metadata, with missing parts taken from another one.
    package func filled(from other: HDRMetadata) -> HDRMetadata {
        HDRMetadata(
            masteringDisplay: masteringDisplay ?? other.masteringDisplay,
            contentLightLevel: contentLightLevel ?? other.contentLightLevel)
    }
}

/// The parameters of tone mapping from HDR to SDR: the light of the source.
public struct ToneMapping: Sendable, Hashable, Codable {
    /// The color description of the source, for frames without one.
    public var source: ColorDescription
    /// The mastering display, complete and with plausible values only.
    public var display: MasteringDisplay
    public var lightLevel: ContentLightLevel

    /// The plausible peak luminance of a display or frame, in cd/m2. Files contain zeros and values in the wrong unit.
    private static let plausible = 100...10_000
    /// The peak luminance of HLG's nominal display (ITU-R BT.2100) and of most HDR10 mastering displays, in cd/m2.
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

    /// The luminance of the brightest pixel, in cd/m2.
    public var peakLuminance: Int { lightLevel.maxContent }

    /// Its signal, from 0 to 1: PQ's inverse EOTF (SMPTE ST 2084), or the maximum of HLG.
    package var peakSignal: Double {
        guard source.isPQ else { return 1 }
        let luminance = pow(Double(peakLuminance) / 10_000, 2610.0 / 16384)
        return pow((0.8359375 + 18.8515625 * luminance) / (1 + 18.6875 * luminance), 2523.0 / 32)
    }

    /// Returns a frame's color description, completed by that of the container and then by the usual values of HDR.
    public func meaning(of frame: ColorDescription) -> ColorDescription {
        frame.filled(from: source).filled(from: ColorDescription(primaries: 9, matrix: 9))
    }
}

extension MasteringDisplay {
    /// The number of units in 1 cd/m2.
    public static let luminanceUnit = 10_000

    /// The whole gamut of BT.2020 with white point D65, at 1000 cd/m2.
    static let bt2020 = MasteringDisplay(
        red: Chromaticity(35400, 14600), green: Chromaticity(8500, 39850), blue: Chromaticity(6550, 2300),
        white: Chromaticity(15635, 16450), minLuminance: 50, maxLuminance: 1000 * luminanceUnit)
}

extension ColorDescription {
    /// The value of VIDEO-RANGE in HLS (RFC 8216bis, 4.4.6.2).
    package var videoRange: String {
        switch transfer {
        case 16: "PQ"
        case 18: "HLG"
        default: "SDR"
        }
    }
}

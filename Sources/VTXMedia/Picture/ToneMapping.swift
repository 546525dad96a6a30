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
        let told = metadata.masteringDisplay.map { $0.maxLuminance / MasteringDisplay.luminanceUnit }
        // HLG is relative to the display that shows it, whatever it was mastered on.
        let candidates = source.isHLG ? [] : [metadata.contentLightLevel?.maxContent, told]
        let peak = candidates.compactMap(\.self).first(where: Self.plausible.contains) ?? Self.usualPeak
        lightLevel = ContentLightLevel(
            maxContent: peak, maxFrameAverage: min(peak, metadata.contentLightLevel?.maxFrameAverage ?? 0))
        display = metadata.masteringDisplay ?? .bt2020
        guard !Self.plausible.contains(told ?? 0) else { return }
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

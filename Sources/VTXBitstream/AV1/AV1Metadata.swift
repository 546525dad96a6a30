package import VTXMedia

/// `metadata_obu()` of HDR10 (AV1 5.8).
package enum AV1Metadata: Sendable, Hashable {
    case contentLightLevel(ContentLightLevel)
    case masteringDisplay(MasteringDisplay)

    /// `metadata_type` (AV1 6.7.1).
    private var type: UInt8 {
        switch self {
        case .contentLightLevel: 1
        case .masteringDisplay: 2
        }
    }

    package static func all(of metadata: HDRMetadata) -> [AV1Metadata] {
        [
            metadata.masteringDisplay.map(Self.masteringDisplay),
            metadata.contentLightLevel.map(Self.contentLightLevel),
        ].compactMap(\.self)
    }

    /// Whether the payload of a metadata unit has this type.
    package func isOfType(_ payload: RawSpan) -> Bool { payload.byteCount > 0 && payload[0] == type }

    /// The complete unit, with its header and size.
    package var unit: [UInt8] {
        var writer = BitWriter()
        writer.u(8, UInt64(type))
        switch self {
        case .contentLightLevel(let light): light.write(to: &writer)
        case .masteringDisplay(let display): display.write(to: &writer)
        }
        writer.trailingBits()
        return OpenBitstreamUnit.write(.metadata, writer.bytes)
    }
}

extension ContentLightLevel {
    /// `metadata_hdr_cll()` (AV1 5.8.3).
    fileprivate func write(to writer: inout BitWriter) {
        writer.u(16, UInt64(clamping: min(maxContent, 0xffff)))
        writer.u(16, UInt64(clamping: min(maxFrameAverage, 0xffff)))
    }
}

extension MasteringDisplay {
    /// `metadata_hdr_mdcv()` (AV1 5.8.4): chromaticities in steps of 1/65536, the maximum luminance in steps of 1/256
    /// and the minimum in steps of 1/16384 cd/m2.
    fileprivate func write(to writer: inout BitWriter) {
        for point in [red, green, blue, white] {
            for part in [point.x, point.y] { writer.u(16, Self.scaled(part, by: 1 << 16, 50_000, most: 0xffff)) }
        }
        writer.u(32, Self.scaled(maxLuminance, by: 1 << 8, Self.luminanceUnit, most: 0xffff_ffff))
        writer.u(32, Self.scaled(minLuminance, by: 1 << 14, Self.luminanceUnit, most: 0xffff_ffff))
    }

    private static func scaled(_ value: Int, by steps: Int, _ unit: Int, most: UInt64) -> UInt64 {
        min(most, UInt64(clamping: (min(value, 1 << 40) * steps + unit / 2) / unit))
    }
}

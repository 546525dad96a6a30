import VTXMedia

/// The contents of an `av1C` box and of Matroska's CodecPrivate (AV1 Codec ISO Media File Format Binding 2.3).
package struct AV1CodecConfigurationRecord: Sendable, Hashable {
    /// The units of the sequence header and of metadata, each with its size.
    package var units: [[UInt8]]

    package init(units: [[UInt8]]) { self.units = units }

    /// - Throws: `.truncated`; `.invalid` for another version.
    package init(_ bytes: [UInt8]) throws(BitstreamError) {
        guard bytes.count >= 4 else { throw .truncated }
        guard bytes[0] == 0x81 else { throw .invalid(element: "version", value: Int64(bytes[0])) }
        let units = Array(bytes.dropFirst(4))
        self.units = try OpenBitstreamUnit.units(in: units.span.bytes).map { $0.sized(in: units.span.bytes) }
    }

    /// - Throws: the error of parsing the sequence header; `.truncated` if there is none.
    package func bytes() throws(BitstreamError) -> [UInt8] {
        guard let unit = units.first(where: Self.isSequenceHeader) else { throw .truncated }
        let header = try AV1SequenceHeader(unit: unit)
        let config = header.colorConfig
        let isHalfWide = config.chroma != .yuv444
        let isHalfHigh = config.chroma == .yuv420 || config.chroma == .monochrome
        var writer = BitWriter()
        writer.u(8, 0x81)
        writer.u(3, UInt64(header.profile))
        writer.u(5, UInt64(header.level))
        writer.u(1, UInt64(header.tier))
        writer.flag(config.bitDepth > 8)
        writer.flag(config.bitDepth > 10)
        writer.flag(config.chroma == .monochrome)
        writer.flag(isHalfWide)
        writer.flag(isHalfHigh)
        writer.u(2, UInt64(config.chromaSamplePosition))
        // No initial_presentation_delay.
        writer.u(8, 0)
        return writer.bytes + units.flatMap(\.self)
    }

    /// Whether a unit, including its header, is a sequence header.
    package static func isSequenceHeader(_ unit: [UInt8]) -> Bool {
        unit.first.map { OpenBitstreamUnitType(rawValue: $0 >> 3 & 0xf) == .sequenceHeader } ?? false
    }
}

extension AV1SequenceHeader {
    /// - Parameter unit: The unit with its header and size.
    package init(unit: [UInt8]) throws(BitstreamError) {
        guard let place = try OpenBitstreamUnit.units(in: unit.span.bytes).first else { throw .truncated }
        try self.init(unit.span.bytes.extracting(place.payload))
    }
}

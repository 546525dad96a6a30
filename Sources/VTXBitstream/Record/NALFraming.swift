package import VTXMedia

/// How a container's packets separate NAL units, and which units its header contains.
package struct NALFraming: Sendable, Hashable {
    package enum Framing: Sendable, Hashable {
        case startCodes
        case lengths(LengthPrefixed)
    }

    package let framing: Framing
    /// The units for a decoder before the first packet, in the order of the record.
    package private(set) var units: [[UInt8]]

    /// - Parameters:
    ///   - extradata: The header of the stream: a record (`avcC`, `hvcC`), a byte stream, or nothing.
    ///   - isSelfContained: Whether the packets contain everything that the header does.
    package init(extradata: [UInt8], codec: NALCodec, isSelfContained: Bool = false) throws(BitstreamError) {
        if extradata.isEmpty || AnnexB.beginsWithStartCode(extradata.span.bytes) {
            framing = .startCodes
            let found = AnnexB.units(in: extradata.span.bytes, codec: codec)
            units = isSelfContained ? [] : found.map { Array(extradata[$0.range]) }
        } else if codec == .h264 {
            let record = try AVCDecoderConfigurationRecord(extradata)
            framing = .lengths(try LengthPrefixed(lengthSize: record.lengthSize))
            units = record.spss + (record.high?.spsExtensions ?? []) + record.ppss
        } else {
            let record = try HEVCDecoderConfigurationRecord(extradata)
            framing = .lengths(try LengthPrefixed(lengthSize: record.lengthSize))
            units = record.arrays.flatMap(\.units)
        }
    }

    /// Adds the parameter sets of layers above the base layer, which MP4 stores in a separate record.
    package mutating func add(_ record: LHEVCDecoderConfigurationRecord) {
        units += record.units.filter { !units.contains($0) }
    }

    /// Returns the NAL units of a packet.
    ///
    /// - Throws: `.truncated` if a length exceeds the data.
    package func units(in packet: RawSpan, codec: NALCodec) throws(BitstreamError) -> [NALUnit] {
        switch framing {
        case .startCodes: AnnexB.units(in: packet, codec: codec)
        case .lengths(let format): try format.units(in: packet, codec: codec)
        }
    }

    /// Returns a packet of NAL units.
    ///
    /// - Throws: `.invalid` if a unit is too long for the length prefix.
    package func sample(of units: [[UInt8]]) throws(BitstreamError) -> [UInt8] {
        var sample: [UInt8] = []
        for unit in units {
            switch framing {
            case .startCodes: sample += AnnexB.startCode
            case .lengths(let format): try format.appendLength(unit.count, to: &sample)
            }
            sample += unit
        }
        return sample
    }
}

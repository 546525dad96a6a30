package import VTXMedia

/// How a container's packets hold NAL units, and which ones it keeps beside them.
package struct NALFraming: Sendable, Hashable {
    package enum Framing: Sendable, Hashable {
        case startCodes
        case lengths(LengthPrefixed)
    }

    package let framing: Framing
    /// In the record's order: what a decoder gets before the first packet.
    package private(set) var units: [[UInt8]]

    /// - Parameters:
    ///   - extradata: the stream's: a record (`avcC`, `hvcC`), a byte stream, or nothing.
    ///   - isSelfContained: the container says nothing that is not in the packets too.
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

    /// Adds the parameter sets of layers above the base, which MP4 keeps in a record of their own.
    package mutating func add(_ record: LHEVCDecoderConfigurationRecord) {
        units += record.units.filter { !units.contains($0) }
    }

    /// The NAL units of a packet.
    ///
    /// - Throws: `.truncated` where a length announces more than there is.
    package func units(in packet: RawSpan, codec: NALCodec) throws(BitstreamError) -> [NALUnit] {
        switch framing {
        case .startCodes: AnnexB.units(in: packet, codec: codec)
        case .lengths(let format): try format.units(in: packet, codec: codec)
        }
    }
}

import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// How a container's packets hold NAL units, and which ones it keeps beside them.
struct NALFraming: Sendable, Hashable {
    enum Framing: Sendable, Hashable {
        case startCodes
        case lengths(LengthPrefixed)
    }

    let framing: Framing
    /// In the record's order: what a decoder gets in front of the first packet.
    let units: [[UInt8]]

    /// - Parameter isSelfContained: the container says nothing that is not in the packets too.
    init(extradata: [UInt8], codec: VideoCodec, isSelfContained: Bool) throws(BitstreamError) {
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

    /// The NAL units of a packet.
    ///
    /// - Throws: `.truncated` where a length announces more than there is.
    func units(in packet: RawSpan, codec: VideoCodec) throws(BitstreamError) -> [NALUnit] {
        switch framing {
        case .startCodes: AnnexB.units(in: packet, codec: codec)
        case .lengths(let format): try format.units(in: packet, codec: codec)
        }
    }
}

extension Demuxer {
    /// True where packets hold all there is: transport streams can be entered anywhere, byte streams have no header.
    var isSelfContained: Bool { hasDiscontinuities || hasNoTimestamps }
}

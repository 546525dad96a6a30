import VTXBitstream
import VTXMedia
import VTXSystem

// The tests' bytes are arrays, because `#expect` accepts no spans.

extension StartCode {
    static func first(in bytes: [UInt8], from start: Int = 0) -> Int? { first(in: bytes.span.bytes, from: start) }
}

extension AnnexB {
    static func units(in bytes: [UInt8], codec: NALCodec) -> [NALUnit] { units(in: bytes.span.bytes, codec: codec) }
    /// The stream with start codes of four bytes, and nothing else between the units.
    static func uniform(_ bytes: [UInt8], _ codec: NALCodec) -> [UInt8] {
        write(units(in: bytes, codec: codec), of: bytes.span.bytes)
    }
    static func beginsWithStartCode(_ bytes: [UInt8]) -> Bool { beginsWithStartCode(bytes.span.bytes) }
}

extension LengthPrefixed {
    func units(in bytes: [UInt8], codec: NALCodec) throws(BitstreamError) -> [NALUnit] {
        try units(in: bytes.span.bytes, codec: codec)
    }
    func annexB(_ sample: [UInt8], codec: NALCodec) throws(BitstreamError) -> [UInt8] {
        try annexB(sample.span.bytes, codec: codec)
    }
    func convert(annexB bytes: [UInt8], codec: NALCodec) throws(BitstreamError) -> [UInt8] {
        try convert(annexB: bytes.span.bytes, codec: codec)
    }
}

extension H264NALUnitHeader {
    init(_ bytes: [UInt8]) throws(BitstreamError) { try self.init(bytes.span.bytes) }
}

extension HEVCNALUnitHeader {
    init(_ bytes: [UInt8]) throws(BitstreamError) { try self.init(bytes.span.bytes) }
}

extension [UInt8] {
    /// The bytes of a NAL unit of this buffer.
    func bytes(of unit: NALUnit) -> [UInt8] { Array(self[unit.range]) }
}

extension ParameterSetCompletion {
    func completing(annexB packet: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        try completing(annexB: packet.span.bytes)
    }
    func completing(sps unit: [UInt8]) throws(CompletionError) -> Completed<[UInt8]> {
        try completing(sps: unit.span.bytes)
    }
}

extension SEIMessage {
    static func messages(in unit: [UInt8], codec: NALCodec) throws(BitstreamError) -> [SEIMessage] {
        try messages(in: unit.span.bytes, codec: codec)
    }
}

extension AccessUnit {
    var array: [UInt8] { bytes.array }
}

extension AccessUnitSplitter {
    mutating func append(_ chunk: [UInt8]) throws(BitstreamError) -> [AccessUnit] { try append(chunk.span.bytes) }
}

public import VTXMedia

/// NAL units with length prefixes, as in ISO base media files (ISO 14496-15 5.3.4.2).
public struct LengthPrefixed: Sendable, Hashable {
    /// The number of bytes of a length, big-endian: 1, 2 or 4 (`lengthSizeMinusOne` + 1).
    public let lengthSize: Int

    /// Lengths of four bytes, which most files have.
    public static let fourBytes = LengthPrefixed(4)

    /// - Throws: `.invalid` for sizes other than 1, 2 and 4.
    public init(lengthSize: Int) throws(BitstreamError) {
        guard [1, 2, 4].contains(lengthSize) else {
            throw .invalid(element: "lengthSizeMinusOne", value: Int64(lengthSize) &- 1)
        }
        self.init(lengthSize)
    }

    private init(_ lengthSize: Int) { self.lengthSize = lengthSize }

    /// Returns the NAL units of a sample, without empty ones.
    ///
    /// - Throws: `.truncated` if a NAL unit or its length is incomplete.
    public func units(in bytes: RawSpan, codec: NALCodec) throws(BitstreamError) -> [NALUnit] {
        var units: [NALUnit] = []
        var offset = 0
        while offset < bytes.byteCount {
            guard bytes.byteCount &- offset >= lengthSize else { throw .truncated }
            let length = (0..<lengthSize).reduce(0) { $0 << 8 | Int(bytes[offset &+ $1]) }
            let begin = offset &+ lengthSize
            guard bytes.byteCount &- begin >= length else { throw .truncated }
            offset = begin &+ length
            if length > 0 { units.append(NALUnit(codec: codec, range: begin..<offset, in: bytes)) }
        }
        return units
    }

    /// Returns a sample of the units of another buffer.
    ///
    /// - Throws: `.invalid` if a unit is too long for the length prefix.
    public func write(_ units: [NALUnit], of bytes: RawSpan) throws(BitstreamError) -> [UInt8] {
        var sample: [UInt8] = []
        sample.reserveCapacity(units.reduce(0) { $0 &+ $1.range.count &+ lengthSize })
        for unit in units {
            try appendLength(unit.range.count, to: &sample)
            sample.append(bytes, unit.range)
        }
        return sample
    }

    func appendLength(_ length: Int, to sample: inout [UInt8]) throws(BitstreamError) {
        guard length < 1 << (8 * lengthSize) else { throw .invalid(element: "NALUnitLength", value: Int64(length)) }
        for shift in stride(from: 8 * (lengthSize - 1), through: 0, by: -8) {
            sample.append(UInt8(truncatingIfNeeded: length >> shift))
        }
    }
}

extension LengthPrefixed {
    /// Converts a byte stream to a sample with the same NAL units.
    public func convert(annexB bytes: RawSpan, codec: NALCodec) throws(BitstreamError) -> [UInt8] {
        try write(AnnexB.units(in: bytes, codec: codec), of: bytes)
    }

    /// Converts a sample to a byte stream with the same NAL units.
    public func annexB(_ sample: RawSpan, codec: NALCodec) throws(BitstreamError) -> [UInt8] {
        AnnexB.write(try units(in: sample, codec: codec), of: sample)
    }

    /// Replaces four-byte lengths by start codes in place, without moving data. The reverse is impossible, because a
    /// byte stream may have three-byte start codes.
    ///
    /// - Throws: `.truncated`; `.invalid` if lengths have fewer than four bytes. The sample is then unchanged.
    public func replaceLengthsByStartCodes(in sample: inout [UInt8], codec: NALCodec) throws(BitstreamError) {
        guard lengthSize == 4 else { throw .invalid(element: "lengthSizeMinusOne", value: Int64(lengthSize) &- 1) }
        let units = try units(in: sample.span.bytes, codec: codec)
        for unit in units {
            for index in 0..<4 { sample[unit.range.lowerBound &- 4 &+ index] = AnnexB.startCode[index] }
        }
    }
}

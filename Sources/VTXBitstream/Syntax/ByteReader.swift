/// Takes a container's record apart, whole bytes at a time.
struct ByteReader {
    private var bits: BitReader

    init(_ bytes: [UInt8]) { bits = BitReader(bytes) }

    var remaining: Int { bits.remaining / 8 }

    mutating func number(_ byteCount: Int) throws(BitstreamError) -> Int {
        Int(truncatingIfNeeded: try bits.u(8 &* byteCount))
    }

    mutating func bytes(_ count: Int) throws(BitstreamError) -> [UInt8] {
        guard count <= remaining else { throw .truncated }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for _ in 0..<count { bytes.append(UInt8(truncatingIfNeeded: try bits.u(8))) }
        return bytes
    }

    /// NAL units, each preceded by its length in two bytes.
    mutating func units(_ count: Int) throws(BitstreamError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count { units.append(try bytes(try number(2))) }
        return units
    }
}

extension [UInt8] {
    /// The low bytes of a number, the highest first.
    mutating func append(number: Int, byteCount: Int) {
        for shift in stride(from: 8 &* (byteCount &- 1), through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// NAL units, each preceded by its length in two bytes.
    ///
    /// - Throws: `.invalid` where a unit has more bytes than that can say.
    mutating func append(units: [[UInt8]]) throws(BitstreamError) {
        for unit in units {
            guard unit.count <= 0xffff else { throw .invalid(element: "nalUnitLength", value: Int64(unit.count)) }
            append(number: unit.count, byteCount: 2)
            self += unit
        }
    }
}

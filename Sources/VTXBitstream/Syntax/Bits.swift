/// An error in a bitstream: invalid or truncated data.
public enum BitstreamError: Error, Sendable, Hashable {
    /// The data ends within a syntax element.
    case truncated
    /// A syntax element has a value that its clause does not allow.
    case invalid(element: String, value: Int64)
}

extension BitstreamError: CustomStringConvertible {
    /// What is wrong, for users.
    public var description: String {
        switch self {
        case .truncated: "the data ends too early"
        case .invalid(let element, let value): "\(element) is \(value), which is not allowed"
        }
    }
}

/// Reads an RBSP bit by bit, most significant bit first (H.264 7.2 and 9.1, H.265 7.2 and 9.2).
///
/// It owns an array, because parameter sets and slice headers are short and have to be freed of emulation prevention
/// first.
package struct BitReader: Sendable {
    private let bytes: [UInt8]
    /// The position, in bits.
    package private(set) var position = 0
    /// The end, in bits. Reading beyond it throws `.truncated`.
    package let end: Int

    /// Reads all bits of the bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count &* 8
    }

    /// Reads the bits of an RBSP before its `rbsp_trailing_bits` (H.264 7.3.2.11). Zeros after them are ignored.
    ///
    /// - Throws: `.truncated` if there is no `rbsp_stop_one_bit`.
    package init(rbsp bytes: [UInt8]) throws(BitstreamError) {
        guard let last = bytes.lastIndex(where: { $0 != 0 }) else { throw .truncated }
        self.bytes = bytes
        end = last &* 8 &+ 7 &- bytes[last].trailingZeroBitCount
    }

    package var remaining: Int { end &- position }

    /// `u(n)`: n bits as an unsigned number.
    ///
    /// - Parameter count: 0 to 64.
    package mutating func u(_ count: Int) throws(BitstreamError) -> UInt64 {
        guard count <= remaining else { throw .truncated }
        var value: UInt64 = 0
        var needed = count
        while needed > 0 {
            let free = 8 &- position & 7
            let taken = min(free, needed)
            let bits = UInt64(bytes[position >> 3]) >> UInt64(free &- taken) & (1 << UInt64(taken) &- 1)
            value = value << UInt64(taken) | bits
            position &+= taken
            needed &-= taken
        }
        return value
    }

    package mutating func flag() throws(BitstreamError) -> Bool { try u(1) == 1 }

    /// `ue(v)`: Exp-Golomb, 0 to 2^32 - 2.
    ///
    /// - Throws: `.truncated`, or `.invalid` with more than 31 leading zeros.
    package mutating func ue() throws(BitstreamError) -> UInt32 {
        var zeros = 0
        while try !flag() {
            zeros &+= 1
            guard zeros < 32 else { throw .invalid(element: "leadingZeroBits", value: Int64(zeros)) }
        }
        return UInt32(truncatingIfNeeded: (1 << UInt64(zeros) &- 1) &+ (try u(zeros)))
    }

    /// `se(v)`: signed Exp-Golomb, -(2^31 - 1) to 2^31 - 1 (H.264 9.1.1).
    package mutating func se() throws(BitstreamError) -> Int32 {
        let code = Int64(try ue())
        return Int32(truncatingIfNeeded: code & 1 == 1 ? (code &+ 1) >> 1 : -(code >> 1))
    }
}

/// Writes an RBSP bit by bit; the counterpart of `BitReader`.
package struct BitWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// The number of bits written.
    package private(set) var count = 0

    package init() {}

    /// `u(n)`: the low n bits of a number, 0 to 64.
    package mutating func u(_ width: Int, _ value: UInt64) {
        for shift in stride(from: width &- 1, through: 0, by: -1) {
            if count & 7 == 0 { bytes.append(0) }
            bytes[count >> 3] |= UInt8(truncatingIfNeeded: value >> UInt64(shift) & 1) << UInt8(7 &- count & 7)
            count &+= 1
        }
    }

    package mutating func flag(_ value: Bool) { u(1, value ? 1 : 0) }

    /// `ue(v)`. 2^32 - 1 has no 32-bit code and is written as 2^32 - 2.
    package mutating func ue(_ value: UInt32) {
        let code = UInt64(min(value, .max &- 1)) &+ 1
        let zeros = 63 &- code.leadingZeroBitCount
        u(zeros, 0)
        u(zeros &+ 1, code)
    }

    /// `se(v)`. -2^31 has no code and is written as -(2^31 - 1).
    package mutating func se(_ value: Int32) {
        let magnitude = min(value.magnitude, UInt32(Int32.max))
        ue(value > 0 ? magnitude &* 2 &- 1 : magnitude &* 2)
    }

    /// `rbsp_trailing_bits`: a one, then zeros up to the next byte boundary (H.264 7.3.2.11, H.265 7.3.2.11).
    package mutating func trailingBits() {
        flag(true)
        while count & 7 != 0 { flag(false) }
    }
}

/// Parses a container's record, byte by byte.
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

    /// NAL units, each after a two-byte length.
    mutating func units(_ count: Int) throws(BitstreamError) -> [[UInt8]] {
        var units: [[UInt8]] = []
        for _ in 0..<count { units.append(try bytes(try number(2))) }
        return units
    }
}

extension [UInt8] {
    /// Appends the low bytes of a number, most significant first.
    mutating func append(number: Int, byteCount: Int) {
        for shift in stride(from: 8 &* (byteCount &- 1), through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    /// Appends NAL units, each after a two-byte length.
    ///
    /// - Throws: `.invalid` if a unit is too long for that.
    mutating func append(units: [[UInt8]]) throws(BitstreamError) {
        for unit in units {
            guard unit.count <= 0xffff else { throw .invalid(element: "nalUnitLength", value: Int64(unit.count)) }
            append(number: unit.count, byteCount: 2)
            self += unit
        }
    }
}

/// Reads an RBSP bit by bit, from the highest bit of each byte (H.264 7.2 and 9.1, H.265 7.2 and 9.2).
///
/// Parameter sets and slice headers are short and have to be freed of emulation prevention first, so it owns an array.
package struct BitReader: Sendable {
    private let bytes: [UInt8]
    /// In bits from the beginning.
    package private(set) var position = 0
    /// In bits; reading beyond it is `.truncated`.
    package let end: Int

    /// All bits of the bytes.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count &* 8
    }

    /// The bits of an RBSP before its `rbsp_trailing_bits` (H.264 7.3.2.11); zeros after them are ignored.
    ///
    /// - Throws: `.truncated` where there is no `rbsp_stop_one_bit`.
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

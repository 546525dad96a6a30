/// Writes an RBSP bit by bit, the mirror of `BitReader`.
package struct BitWriter: Sendable {
    package private(set) var bytes: [UInt8] = []
    /// Bits written so far.
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

    /// `ue(v)`; 2^32 - 1 has no code of 32-bit readers' and becomes 2^32 - 2.
    package mutating func ue(_ value: UInt32) {
        let code = UInt64(min(value, .max &- 1)) &+ 1
        let zeros = 63 &- code.leadingZeroBitCount
        u(zeros, 0)
        u(zeros &+ 1, code)
    }

    /// `se(v)`; -2^31 has no code and becomes -(2^31 - 1).
    package mutating func se(_ value: Int32) {
        let magnitude = min(value.magnitude, UInt32(Int32.max))
        ue(value > 0 ? magnitude &* 2 &- 1 : magnitude &* 2)
    }

    /// `rbsp_trailing_bits`: a one, then zeros up to a whole byte (H.264 7.3.2.11, H.265 7.3.2.11).
    package mutating func trailingBits() {
        flag(true)
        while count & 7 != 0 { flag(false) }
    }
}

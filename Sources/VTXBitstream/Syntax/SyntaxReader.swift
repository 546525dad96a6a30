/// Fills a structure from an RBSP.
package struct SyntaxReader: SyntaxCoder {
    private var bits: BitReader

    package init(_ bits: BitReader) { self.bits = bits }

    package mutating func u(_ width: Int, _ value: inout Int, _ name: StaticString) throws(BitstreamError) {
        value = Int(truncatingIfNeeded: try bits.u(width))
    }

    package mutating func ue(
        _ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>
    ) throws(BitstreamError) {
        value = try checked(Int(try bits.ue()), name, range)
    }

    package mutating func se(
        _ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>
    ) throws(BitstreamError) {
        value = try checked(Int(try bits.se()), name, range)
    }

    package mutating func flag(_ value: inout Bool) throws(BitstreamError) { value = try bits.flag() }

    package func moreData(_ isPresent: Bool) -> Bool { bits.remaining > 0 }

    package mutating func rest(_ rest: inout RawBits) throws(BitstreamError) {
        rest.bits = []
        while bits.remaining > 0 { rest.bits.append(try bits.flag()) }
    }
}

/// Writes a structure as an RBSP.
package struct SyntaxWriter: SyntaxCoder {
    package private(set) var bits = BitWriter()

    package init() {}

    package mutating func u(_ width: Int, _ value: inout Int, _ name: StaticString) throws(BitstreamError) {
        bits.u(width, UInt64(try checked(value, name, 0...(1 << width &- 1))))
    }

    package mutating func ue(
        _ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>
    ) throws(BitstreamError) {
        bits.ue(UInt32(clamping: try checked(value, name, range)))
    }

    package mutating func se(
        _ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>
    ) throws(BitstreamError) {
        bits.se(Int32(clamping: try checked(value, name, range)))
    }

    package mutating func flag(_ value: inout Bool) throws(BitstreamError) { bits.flag(value) }

    package func moreData(_ isPresent: Bool) -> Bool { isPresent }

    package mutating func rest(_ rest: inout RawBits) throws(BitstreamError) {
        for bit in rest.bits { bits.flag(bit) }
    }

    /// The RBSP, closed by its trailing bits.
    package mutating func finish() -> [UInt8] {
        bits.trailingBits()
        return bits.bytes
    }
}

private func checked(_ value: Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError) -> Int {
    guard range.contains(value) else { throw .invalid(element: "\(name)", value: Int64(value)) }
    return value
}

/// Traverses a syntax table of the specifications, element by element. A reader sets each value; a writer writes it.
///
/// One description of a structure serves both directions, so that the output matches the input. Values are `Int`s, as
/// in the specifications' arithmetic; `name` is the element's name for error messages.
package protocol SyntaxCoder {
    /// `u(n)`, 0 to 62 bits.
    mutating func u(_ width: Int, _ value: inout Int, _ name: StaticString) throws(BitstreamError)
    /// `ue(v)`. Throws if the value is out of range.
    mutating func ue(_ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError)
    /// `se(v)`. Throws if the value is out of range.
    mutating func se(_ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError)
    /// `u(1)`.
    mutating func flag(_ value: inout Bool) throws(BitstreamError)
    /// `more_rbsp_data()`: a reader looks ahead; a writer uses `isPresent`.
    func moreData(_ isPresent: Bool) -> Bool
    /// All remaining bits before `rbsp_trailing_bits`.
    mutating func rest(_ bits: inout RawBits) throws(BitstreamError)
}

/// A part of the syntax with its own table.
package protocol SyntaxStructure: Sendable, Hashable {
    init()
    mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError)
}

extension SyntaxCoder {
    /// Any 32-bit `ue(v)`.
    mutating func ue(_ value: inout Int, _ name: StaticString) throws(BitstreamError) {
        try ue(&value, name, 0...0xffff_fffe)
    }

    /// A `..._present_flag`, and what follows if it is set.
    mutating func optional<Part: SyntaxStructure>(_ part: inout Part?) throws(BitstreamError) {
        var isPresent = part != nil
        try flag(&isPresent)
        if isPresent {
            var value = part ?? Part()
            try value.code(with: &self)
            part = value
        } else {
            part = nil
        }
    }

    /// The size of an array in `ue(v)`, minus `bias`, and an array of that size.
    mutating func count<Element>(
        of array: inout [Element], _ name: StaticString, _ range: ClosedRange<Int>, bias: Int = 0, filler: Element
    ) throws(BitstreamError) {
        var count = array.count &- bias
        try ue(&count, name, range)
        array.fit(count &+ bias, filler: filler)
    }
}

extension Array {
    /// Truncates or pads to a length.
    mutating func fit(_ length: Int, filler: Element) {
        if count > length { removeLast(count &- length) }
        if count < length { append(contentsOf: repeatElement(filler, count: length &- count)) }
    }
}

/// Unparsed bits, the first bit first.
package struct RawBits: Sendable, Hashable {
    package var bits: [Bool] = []

    package init() {}

    package var isEmpty: Bool { bits.isEmpty }
}

/// Reads a structure from an RBSP.
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

    /// Skips a `ue(v)` or an `se(v)`.
    mutating func skip(_ name: StaticString) throws(BitstreamError) {
        var ignored = 0
        try ue(&ignored, name)
    }

    mutating func skipFlag() throws(BitstreamError) {
        var ignored = false
        try flag(&ignored)
    }
}

/// Writes a structure to an RBSP.
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

    /// Returns the RBSP with its trailing bits.
    package mutating func finish() -> [UInt8] {
        bits.trailingBits()
        return bits.bytes
    }
}

private func checked(_ value: Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError) -> Int {
    guard range.contains(value) else { throw .invalid(element: "\(name)", value: Int64(value)) }
    return value
}

/// Walks a syntax table of the specifications, element by element: a reader sets each value, a writer emits it.
///
/// One description of each structure serves both directions, so that what is written is what was read. Values are
/// `Int`s, because the specifications' arithmetic is; `name` is the element's name for the error message.
package protocol SyntaxCoder {
    /// `u(n)`, 0 to 62 bits.
    mutating func u(_ width: Int, _ value: inout Int, _ name: StaticString) throws(BitstreamError)
    /// `ue(v)`, refused outside of the range that the clause allows.
    mutating func ue(_ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError)
    /// `se(v)`, refused outside of the range that the clause allows.
    mutating func se(_ value: inout Int, _ name: StaticString, _ range: ClosedRange<Int>) throws(BitstreamError)
    /// `u(1)`.
    mutating func flag(_ value: inout Bool) throws(BitstreamError)
    /// `more_rbsp_data()`: a reader looks, a writer is told.
    func moreData(_ isPresent: Bool) -> Bool
    /// All bits that are left before `rbsp_trailing_bits`.
    mutating func rest(_ bits: inout RawBits) throws(BitstreamError)
}

/// A part of the syntax with a table of its own.
package protocol SyntaxStructure: Sendable, Hashable {
    init()
    mutating func code<Coder: SyntaxCoder>(with coder: inout Coder) throws(BitstreamError)
}

extension SyntaxCoder {
    /// Any 32-bit `ue(v)`.
    mutating func ue(_ value: inout Int, _ name: StaticString) throws(BitstreamError) {
        try ue(&value, name, 0...0xffff_fffe)
    }

    /// A `..._present_flag`, and what follows where it is set.
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

    /// A number of things in `ue(v)`, less `bias`, and an array of that length.
    mutating func count<Element>(
        of array: inout [Element], _ name: StaticString, _ range: ClosedRange<Int>, bias: Int = 0, filler: Element
    ) throws(BitstreamError) {
        var count = array.count &- bias
        try ue(&count, name, range)
        array.fit(count &+ bias, filler: filler)
    }
}

extension Array {
    /// Cuts or fills up to a length.
    mutating func fit(_ length: Int, filler: Element) {
        if count > length { removeLast(count &- length) }
        if count < length { append(contentsOf: repeatElement(filler, count: length &- count)) }
    }
}

/// Bits that are not parsed, first bit first.
package struct RawBits: Sendable, Hashable {
    package var bits: [Bool] = []

    package init() {}

    package var isEmpty: Bool { bits.isEmpty }
}

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

    /// Reads over a `ue(v)` or an `se(v)`.
    mutating func skip(_ name: StaticString) throws(BitstreamError) {
        var ignored = 0
        try ue(&ignored, name)
    }

    mutating func skipFlag() throws(BitstreamError) {
        var ignored = false
        try flag(&ignored)
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

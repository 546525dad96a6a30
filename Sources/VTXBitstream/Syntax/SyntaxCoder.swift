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

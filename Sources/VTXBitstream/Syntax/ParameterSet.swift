/// A structure that fills a NAL unit of its own: a VPS, an SPS or a PPS.
package protocol ParameterSet: SyntaxStructure {
    /// Bytes of the NAL unit's header.
    static var headerByteCount: Int { get }
    /// Takes the header apart; throws where it announces something else.
    mutating func setHeader(_ unit: RawSpan) throws(BitstreamError)
    var headerBytes: [UInt8] { get }
}

extension ParameterSet {
    /// Reads the set from a NAL unit without start code, as it is in the stream.
    ///
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    package init(nalUnit: RawSpan) throws(BitstreamError) {
        self.init()
        try read(nalUnit)
    }

    /// Reads the set from an array that holds its NAL unit.
    package init(nalUnit: [UInt8]) throws(BitstreamError) { try self.init(nalUnit: nalUnit.span.bytes) }

    mutating func read(_ nalUnit: RawSpan) throws(BitstreamError) {
        try setHeader(nalUnit)
        let rbsp = EmulationPrevention.remove(from: nalUnit, Self.headerByteCount..<nalUnit.byteCount)
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        try code(with: &reader)
    }

    /// The NAL unit, header and emulation prevention included, without start code.
    ///
    /// - Throws: `.invalid` where a value is outside of what its clause allows.
    package func nalUnit() throws(BitstreamError) -> [UInt8] {
        var (copy, writer) = (self, SyntaxWriter())
        try copy.code(with: &writer)
        return headerBytes + EmulationPrevention.insert(into: writer.finish())
    }
}

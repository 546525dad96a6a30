package import VTXMedia

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

/// What the SPS of both codecs tell of a stream, derived from their syntax elements.
package protocol SequenceParameterSet: ParameterSet {
    /// What is decoded, in luma samples.
    var codedSize: PixelSize { get }
    /// What is shown: the coded size without what is cropped; zero where the offsets are larger than the picture.
    var displaySize: PixelSize { get }
    /// The shape of a sample; nil where nothing says so.
    var sampleAspectRatio: Rational? { get }
    var color: ColorDescription { get }
    /// Frames a second, in lowest terms; nil where there is no timing.
    var frameRate: Rational? { get }
    /// Of luma, in bits.
    var bitDepth: Int { get }
    var chroma: ChromaSampling { get }
    /// nil for profiles that vtx does not encode.
    var profile: VideoProfile? { get }
    /// By the name in Annex A.
    var profileName: String { get }
    /// `4.1`
    var levelName: String { get }
    /// Frames that may precede one in decoding order and follow it in output order.
    var maxReorder: Int { get }
}

public import VTXMedia

/// A parameter set, which is a complete NAL unit: a VPS, an SPS or a PPS.
public protocol ParameterSet: Sendable, Hashable {
    /// Parses the set from a NAL unit without start code, as in the stream.
    ///
    /// - Throws: `.truncated`, or `.invalid` with the element's name.
    init(nalUnit: RawSpan) throws(BitstreamError)

    /// Returns the NAL unit with header and emulation prevention, without start code.
    ///
    /// - Throws: `.invalid` if a value is out of the range of its clause.
    func nalUnit() throws(BitstreamError) -> [UInt8]
}

/// A parameter set with its syntax table, which serves both directions.
package protocol ParameterSetSyntax: ParameterSet, SyntaxStructure {
    /// The number of bytes of the NAL unit's header.
    static var headerByteCount: Int { get }
    /// Parses the header. Throws if the NAL unit has another type.
    mutating func setHeader(_ unit: RawSpan) throws(BitstreamError)
    var headerBytes: [UInt8] { get }
}

extension ParameterSetSyntax {
    public init(nalUnit: RawSpan) throws(BitstreamError) {
        self.init()
        try read(nalUnit)
    }

    mutating func read(_ nalUnit: RawSpan) throws(BitstreamError) {
        try setHeader(nalUnit)
        let rbsp = EmulationPrevention.remove(from: nalUnit, Self.headerByteCount..<nalUnit.byteCount)
        var reader = SyntaxReader(try BitReader(rbsp: rbsp))
        try code(with: &reader)
    }

    public func nalUnit() throws(BitstreamError) -> [UInt8] {
        var (copy, writer) = (self, SyntaxWriter())
        try copy.code(with: &writer)
        return headerBytes + EmulationPrevention.insert(into: writer.finish())
    }
}

extension ParameterSet {
    /// Parses the set from an array that contains its NAL unit.
    public init(nalUnit: [UInt8]) throws(BitstreamError) { try self.init(nalUnit: nalUnit.span.bytes) }
}

/// The properties of a stream that follow from the SPS of either codec.
public protocol SequenceParameterSet: ParameterSet {
    /// The decoded size, in luma samples.
    var codedSize: PixelSize { get }
    /// The displayed size: the coded size after cropping; zero if the offsets exceed the picture.
    var displaySize: PixelSize { get }
    /// The sample aspect ratio; nil if unspecified.
    var sampleAspectRatio: Rational? { get }
    var color: ColorDescription { get }
    /// The frame rate, in frames per second, in lowest terms; nil if there is no timing information.
    var frameRate: Rational? { get }
    /// The number of bits of a luma sample.
    var bitDepth: Int { get }
    var chroma: ChromaSampling { get }
    /// nil for profiles that vtx does not encode.
    var profile: VideoProfile? { get }
    /// The name in Annex A.
    var profileName: String { get }
    /// `4.1`
    var levelName: String { get }
    /// The maximum number of frames that precede a frame in decoding order and follow it in output order.
    var maxReorder: Int { get }
}

import VTXBitstream
import VTXFFmpeg
import VTXMedia

/// A container's video as one sequence of NAL units: what only its record holds comes before the packet that is
/// the first to need it. Each unit is as a byte stream holds it, so that one which is made of them gives them back.
struct PacketUnits {
    private let codec: VideoCodec
    private let container: ContainerFraming
    private var configuration: NALFraming
    /// The record's units, until a packet has come.
    private var pending: [[UInt8]]

    /// - Throws: where the container's record cannot be read.
    init(
        _ demuxer: Demuxer, _ stream: InputStream, _ codec: VideoCodec, of input: String
    ) throws(BitstreamError) {
        self.codec = codec
        container = ContainerFraming(demuxer, codec, of: input)
        configuration = try container.framing(stream.parameters.extradata)
        pending = configuration.units
    }

    /// Calls `body` with each unit of a packet, without start code.
    ///
    /// - Throws: `.truncated` before the first call, where the packet is damaged.
    mutating func forEach(of packet: Packet, _ body: (RawSpan) throws -> Void) throws {
        if let extradata = packet.newExtradata {
            configuration = try container.framing(extradata)
            pending = configuration.units
        }
        let bytes = packet.bytes.bytes
        let units = try configuration.units(in: bytes, codec: codec).flatMap { AnnexB.units(within: $0, of: bytes) }
        let missing = missingUnits(units, bytes)
        let delimiters = units.prefix { $0.isDelimiter }
        for unit in delimiters { try body(bytes.extracting(unit.range)) }
        for unit in missing { try body(unit.span.bytes) }
        for unit in units.dropFirst(delimiters.count) { try body(bytes.extracting(unit.range)) }
    }

    /// What the record has and the packet has not.
    private mutating func missingUnits(_ units: [NALUnit], _ bytes: RawSpan) -> [[UInt8]] {
        guard !pending.isEmpty else { return [] }
        defer { pending = [] }
        let own = Set(units.filter { !$0.isVCL }.map { bytes.copy($0.range) })
        return pending.filter { !own.contains($0) }
    }
}

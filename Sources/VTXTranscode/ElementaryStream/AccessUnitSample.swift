import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A sample as a container stores it: an access unit, or two if the fields of a frame have one each. The last one
/// includes what follows the last picture of the stream.
struct AccessUnitSample {
    private(set) var accessUnits: [AccessUnit]

    var first: AccessUnit.Summary { accessUnits[0].summary }

    /// The display position in its sequence; nil if the headers cannot be parsed.
    var order: Int? { accessUnits.compactMap(\.summary.pictureOrderCount).min() }

    /// Whether decoding can start here: at an IDR picture, or at a recovery point that is correct immediately.
    var isKeyFrame: Bool { first.isKeyFrame || first.recoveryPoint == 0 && first.sliceType == .i }

    var isFieldPair: Bool { accessUnits.count { $0.summary.field != nil } == 2 }

    /// The number of pictures without an access unit delimiter.
    var undelimitedCount: Int {
        accessUnits.count { $0.summary.hasPicture && $0.units.first?.isDelimiter == false }
    }

    func forEachUnit(_ body: (NALUnit, RawSpan) throws(TranscodeError) -> Void) throws(TranscodeError) {
        for accessUnit in accessUnits {
            let bytes = accessUnit.bytes.bytes.bytes
            for unit in accessUnit.units { try body(unit, bytes.extracting(unit.range)) }
        }
    }
}

/// Reads the samples of a byte stream. Every pass returns the same samples.
struct AccessUnitSampleReader {
    private let bytes: InputBytes
    private var splitter: AccessUnitSplitter
    private var pending: [AccessUnit] = []
    private var ready: ArraySlice<AccessUnitSample> = []
    private var isAtEnd = false

    init(path: String, codec: NALCodec) throws(TranscodeError) {
        bytes = try InputBytes.open(path)
        splitter = AccessUnitSplitter(codec: codec)
    }

    /// The number of bytes before the first start code; known at the end.
    var strayByteCount: Int64 { splitter.strayByteCount }

    mutating func next() throws(TranscodeError) -> AccessUnitSample? {
        while ready.isEmpty, !isAtEnd { try readMore() }
        return ready.popFirst()
    }

    private mutating func readMore() throws(TranscodeError) {
        let chunk = try bytes.next()
        isAtEnd = chunk.isEmpty
        do {
            let units = isAtEnd ? splitter.finish() : try splitter.append(chunk.span.bytes)
            units.forEach { add($0) }
        } catch {
            throw TranscodeError(.inputAccessUnit, "\(bytes.name) cannot be cut into access units: \(error)")
        }
        if isAtEnd, !pending.isEmpty { ready.append(AccessUnitSample(accessUnits: pending)) }
    }

    private mutating func add(_ unit: AccessUnit) {
        if !pending.isEmpty, unit.summary.hasPicture, !unit.summary.completes(pending) {
            ready.append(AccessUnitSample(accessUnits: pending))
            pending = []
        }
        pending.append(unit)
    }
}

extension AccessUnit.Summary {
    /// Whether the units are a second field: of the opposite parity, with the same `frame_num`, after a single field
    /// (H.264 3.30).
    fileprivate func completes(_ units: [AccessUnit]) -> Bool {
        guard let field, !isIDR, units.count == 1, let first = units[0].summary.field else { return false }
        return field != first && frameNum == units[0].summary.frameNum
    }
}

/// Reads a container's video as one sequence of NAL units. Units that only the record contains come before the first
/// packet that needs them. Each unit is as in a byte stream, so that a byte stream made of them matches the original.
struct PacketUnits {
    private let codec: NALCodec
    private let container: ContainerFraming
    private var configuration: NALFraming
    /// The record's units, until the first packet.
    private var pending: [[UInt8]]

    /// - Throws: if the container's record cannot be parsed.
    init(
        _ demuxer: Demuxer, _ stream: InputStream, _ codec: NALCodec, of input: String
    ) throws(BitstreamError) {
        self.codec = codec
        container = ContainerFraming(demuxer, codec, of: input)
        configuration = try container.framing(stream.parameters.extradata)
        pending = configuration.units
    }

    /// Calls `body` with each unit of a packet, without start code.
    ///
    /// - Throws: `.truncated`, before the first call, if the packet is corrupt.
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

    /// Returns the units that the record contains and the packet does not.
    private mutating func missingUnits(_ units: [NALUnit], _ bytes: RawSpan) -> [[UInt8]] {
        guard !pending.isEmpty else { return [] }
        defer { pending = [] }
        let own = Set(units.filter { !$0.isVCL }.map { bytes.copy($0.range) })
        return pending.filter { !own.contains($0) }
    }
}

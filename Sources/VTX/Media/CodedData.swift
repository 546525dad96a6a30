import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem

/// The data of a sample: as the encoder has written it, or the container stores it, without a copy.
struct CodedData: Sendable {
    /// How NAL units are separated. AV1's units have sizes of their own.
    enum Framing: Sendable, Hashable {
        /// The parameter sets are in the format description, and no part of the data.
        case startCodes(without: [[UInt8]])
        case lengthPrefixes
    }

    private enum Storage: Sendable {
        case array([UInt8])
        /// A range of its bytes. It is shared with its other owners, and never changed.
        case packet(Packet, Range<Int>)
        case buffer(PaddedBuffer)
    }

    let framing: Framing
    private let storage: Storage

    /// - Parameter array: NAL units with length prefixes, or a temporal unit of AV1.
    init(_ array: [UInt8]) { (storage, framing) = (.array(array), .lengthPrefixes) }

    init(_ packet: Packet, _ framing: Framing) {
        (storage, self.framing) = (.packet(packet, 0..<packet.byteCount), framing)
    }

    /// Creates the data of an AV1 sample, without the temporal delimiter that the packet may begin with. Units without
    /// a size get one, in a copy.
    init(temporalUnit packet: Packet) throws(BitstreamError) {
        framing = .lengthPrefixes
        let bytes = packet.bytes.bytes
        let units = try OpenBitstreamUnit.units(in: bytes)
        let kept = units.drop { $0.type == .temporalDelimiter }
        if kept.allSatisfy({ $0.type != .temporalDelimiter && $0.hasSize(in: bytes) }) {
            storage = .packet(packet, (kept.first?.range.lowerBound ?? 0)..<packet.byteCount)
        } else {
            storage = .buffer(try TemporalUnit(bytes).bytes)
        }
        withExtendedLifetime(packet) {}
    }

    var byteCount: Int {
        switch storage {
        case .array(let array): array.count
        case .packet(_, let range): range.count
        case .buffer(let buffer): buffer.count
        }
    }

    func withBytes<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch storage {
        case .array(let array): return try body(array.span.bytes)
        case .packet(let packet, let range):
            defer { withExtendedLifetime(packet) {} }
            return try body(packet.bytes.bytes.extracting(range))
        case .buffer(let buffer):
            defer { withExtendedLifetime(buffer) {} }
            return try body(buffer.bytes.bytes)
        }
    }

    /// Returns a copy of the bytes.
    var array: [UInt8] {
        if case .array(let array) = storage { return array }
        return withBytes { [UInt8](copying: $0) }
    }

    /// Returns the NAL units of a frame, as ranges of the bytes.
    ///
    /// - Throws: `.badData` if a NAL unit or its length is truncated; `.badParameter` for AV1.
    func nalUnits(_ format: FormatDescription) throws(SessionError) -> [NALUnit] {
        let codec = try format.codec.ofNALUnits("NAL units")
        return try withBytes { bytes throws(SessionError) in
            if case .startCodes(let sets) = framing { return AnnexB.units(in: bytes, codec: codec, without: sets) }
            do { return try LengthPrefixed(lengthSize: format.lengthSize).units(in: bytes, codec: codec) } catch {
                throw SessionError(.badData, "a sample's units: \(error)")
            }
        }
    }

    /// Returns the bytes with length prefixes; AV1's as they are.
    ///
    /// - Throws: `.badParameter` if a NAL unit is too long for the length prefix.
    func lengthPrefixed(_ format: FormatDescription) throws(SessionError) -> [UInt8] {
        guard case .startCodes = framing, format.codec != .av1 else { return array }
        let units = try nalUnits(format)
        return try withBytes { bytes throws(SessionError) in try format.lengthPrefixed(units, of: bytes) }
    }
}

extension FormatDescription {
    /// Returns NAL units with length prefixes.
    ///
    /// - Throws: `.badParameter` if one is too long for the length prefix.
    func lengthPrefixed(_ units: [NALUnit], of bytes: RawSpan) throws(SessionError) -> [UInt8] {
        do { return try LengthPrefixed(lengthSize: lengthSize).write(units, of: bytes) } catch {
            throw SessionError(.badParameter, "a sample cannot hold the NAL units: \(error)")
        }
    }
}

extension AnnexB {
    /// Returns the NAL units of a buffer without those parameter sets.
    static func units(in bytes: RawSpan, codec: NALCodec, without sets: [[UInt8]]) -> [NALUnit] {
        units(in: bytes, codec: codec).filter { !($0.isParameterSet && sets.contains(bytes.copy($0.range))) }
    }
}

extension CodedData {
    /// Returns a packet with the bytes, which are not copied if a packet has them already.
    func makePacket(_ timeBase: Rational) throws(FFmpegError) -> Packet {
        switch storage {
        case .array(let array):
            return try Packet(sharing: PaddedBuffer(array), pts: nil, duration: 0, timeBase: timeBase)
        case .packet(let packet, let range): return try packet.bytesOnly(range, timeBase)
        case .buffer(let buffer):
            return try Packet(sharing: buffer, pts: nil, duration: 0, timeBase: timeBase)
        }
    }
}

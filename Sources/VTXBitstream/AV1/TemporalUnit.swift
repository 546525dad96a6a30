package import VTXSystem

/// A temporal unit: the input of an AV1 decoder for one shown frame. It consists of all units between two temporal
/// delimiters (AV1 7.5), without the delimiters, as in containers.
package struct TemporalUnit: Sendable, Hashable {
    /// The units, each with its size.
    package private(set) var bytes: PaddedBuffer
    /// The last sequence header, with its header and size; nil if there is none.
    package fileprivate(set) var sequenceHeader: [UInt8]?
    package private(set) var hasPicture = false
    /// Whether it begins with a shown key frame.
    package private(set) var isKeyFrame = false
    /// Whether a sequence header precedes the first frame.
    package var beginsWithSequenceHeader: Bool { sequenceHeader != nil }

    /// - Parameter capacity: The expected number of bytes.
    package init(capacity: Int = 0) { bytes = PaddedBuffer(capacity: capacity) }

    /// Creates a temporal unit from open bitstream units, the last of which may have no size.
    ///
    /// - Parameters:
    ///   - headers: Units to insert before them unless they contain a sequence header.
    ///   - known: The previous sequence header.
    /// - Throws: if a unit extends beyond the data, or a sequence header cannot be parsed.
    package init(
        _ bytes: RawSpan, inserting headers: RawSpan = RawSpan(), after known: [UInt8]? = nil
    ) throws(BitstreamError) {
        let units = try OpenBitstreamUnit.units(in: bytes)
        var reader = TemporalUnitReader(TemporalUnit(capacity: headers.byteCount + bytes.byteCount))
        reader.header = known.flatMap { try? AV1SequenceHeader(unit: $0) }
        if !units.contains(where: { $0.type == .sequenceHeader }) {
            try reader.append(try OpenBitstreamUnit.units(in: headers), of: headers)
        }
        try reader.append(units, of: bytes)
        self = reader.unit
    }

    fileprivate mutating func noteFrame(isKeyFrame: Bool) {
        if !hasPicture { self.isKeyFrame = isKeyFrame }
        hasPicture = true
    }
}

/// Collects the units of temporal units, each as its header, its payload in any number of parts, and its end.
private struct TemporalUnitReader: Sendable {
    /// The last sequence header, on which the meaning of a frame header depends.
    var header: AV1SequenceHeader?
    private(set) var unit: TemporalUnit
    private var type = OpenBitstreamUnitType.padding
    /// The current open bitstream unit and its payload begin at these offsets of `unit.bytes`.
    private var begin = (unit: 0, payload: 0)

    init(_ unit: TemporalUnit = TemporalUnit()) { self.unit = unit }

    mutating func append(_ units: [OpenBitstreamUnit], of bytes: RawSpan) throws(BitstreamError) {
        for unit in units where unit.type != .temporalDelimiter {
            begin(unit.type, header: unit.sizedHeader(in: bytes))
            append(bytes.extracting(unit.payload))
            try endUnit()
        }
    }

    mutating func begin(_ type: OpenBitstreamUnitType, header: [UInt8]) {
        self.type = type
        begin.unit = unit.bytes.count
        unit.bytes.append(header)
        begin.payload = unit.bytes.count
    }

    func append(_ payload: RawSpan) { unit.bytes.append(payload) }

    mutating func endUnit() throws(BitstreamError) {
        let bytes = unit.bytes.bytes.bytes
        let payload = bytes.extracting(begin.payload...)
        if type == .sequenceHeader {
            header = try AV1SequenceHeader(payload)
            unit.sequenceHeader = bytes.copy(begin.unit..<bytes.byteCount)
        }
        guard type.hasFrameHeader else { return }
        let isStill = header?.isStillPicture ?? false
        unit.noteFrame(isKeyFrame: isStill ? true : try AV1FrameStart(payload).isShownKeyFrame)
    }

    mutating func take() -> TemporalUnit {
        defer { unit = TemporalUnit(capacity: unit.bytes.count) }
        unit.bytes.trim()
        return unit
    }
}

/// Splits a stream of the low-overhead format (AV1 5.2) into temporal units, from chunks of any size.
///
/// A temporal unit comes out when the next delimiter has arrived; `finish()` returns the last one. Unit boundaries
/// follow from the sizes only, so after a corrupt unit, splitting continues at the next delimiter that is followed by a
/// sequence header. The bytes are copied once, from the chunk into the temporal unit.
package struct TemporalUnitSplitter: Sendable {
    /// The maximum size of a temporal unit; a larger one is invalid.
    package static let maxByteCount = 1 << 26

    private var reader = TemporalUnitReader()
    /// The header and the size of the current unit, as far as they have arrived.
    private var header: [UInt8] = []
    /// The rest of the current unit's payload; nil between units.
    private var payload: Payload?
    /// nil unless the boundaries are unknown: the number of bytes of `beginning` that the last bytes match.
    private var matchedByteCount: Int?
    /// A delimiter without extension, and the header of a sequence header with a size.
    private static let beginning: [UInt8] = [0x12, 0x00, 0x0a]

    private struct Payload {
        var type: OpenBitstreamUnitType
        var missingByteCount: Int
    }

    package init() {}

    package typealias Output = Result<TemporalUnit, BitstreamError>

    /// - Returns: the temporal units that are complete, and errors for those that are invalid.
    package mutating func append(_ chunk: RawSpan) -> [Output] {
        var finished: [Output] = []
        var offset = 0
        while offset < chunk.byteCount {
            if matchedByteCount != nil {
                search(chunk[offset])
                offset += 1
                continue
            }
            do throws(BitstreamError) {
                offset += try take(chunk.extracting(offset...), into: &finished)
                try endUnit()
            } catch {
                finished.append(.failure(error))
                if !header.isEmpty { offset += 1 }
                lose()
            }
        }
        return finished
    }

    /// - Returns: the number of bytes taken.
    private mutating func take(_ bytes: RawSpan, into finished: inout [Output]) throws(BitstreamError) -> Int {
        guard var payload else { return try takeHeader(bytes, into: &finished) }
        let count = min(payload.missingByteCount, bytes.byteCount)
        if payload.type != .temporalDelimiter { reader.append(bytes.extracting(first: count)) }
        payload.missingByteCount -= count
        self.payload = payload
        return count
    }

    private mutating func takeHeader(_ bytes: RawSpan, into finished: inout [Output]) throws(BitstreamError) -> Int {
        header.append(bytes[0])
        guard let unit = try OpenBitstreamUnit.header(header.span.bytes) else { return 1 }
        guard unit.size <= Self.maxByteCount - reader.unit.bytes.count else {
            throw .invalid(element: "temporal unit", value: Int64(unit.size))
        }
        if unit.type == .temporalDelimiter { end(into: &finished) } else { reader.begin(unit.type, header: header) }
        (header, payload) = ([], Payload(type: unit.type, missingByteCount: unit.size))
        return 1
    }

    private mutating func endUnit() throws(BitstreamError) {
        guard let payload, payload.missingByteCount == 0 else { return }
        self.payload = nil
        if payload.type != .temporalDelimiter { try reader.endUnit() }
    }

    /// Ends the stream or a temporal unit.
    ///
    /// - Returns: the last temporal unit, or `.truncated` if it is incomplete.
    package mutating func finish() -> [Output] {
        let isWhole = header.isEmpty && payload == nil
        (header, payload, matchedByteCount) = ([], nil, nil)
        guard isWhole else {
            _ = reader.take()
            return [.failure(.truncated)]
        }
        var finished: [Output] = []
        end(into: &finished)
        return finished
    }

    private mutating func end(into finished: inout [Output]) {
        let unit = reader.take()
        if !unit.bytes.isEmpty { finished.append(.success(unit)) }
    }
}

// MARK: After corrupt data

extension TemporalUnitSplitter {
    /// Discards the current unit. Of an invalid header, only the last byte can belong to a beginning.
    private mutating func lose() {
        matchedByteCount = header.count > 1 && header.last == Self.beginning[0] ? 1 : 0
        (header, payload) = ([], nil)
        _ = reader.take()
    }

    /// Searches for a beginning, after which the sequence header continues.
    private mutating func search(_ byte: UInt8) {
        guard let matched = matchedByteCount else { return }
        let isNext = byte == Self.beginning[matched]
        matchedByteCount = isNext ? matched + 1 : byte == Self.beginning[0] ? 1 : 0
        guard matchedByteCount == Self.beginning.count else { return }
        (matchedByteCount, header) = (nil, [byte])
    }
}

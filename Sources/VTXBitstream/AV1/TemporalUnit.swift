import VTXSystem

/// What an AV1 decoder is given for one frame that is shown: all units from one temporal delimiter to the next (AV1 7.5),
/// the delimiter left out, as containers have it.
package struct TemporalUnit: Sendable, Hashable {
    /// Each unit says its size.
    package private(set) var bytes: [UInt8] = []
    /// The last sequence header, with its header and size; nil where there is none.
    package private(set) var sequenceHeader: [UInt8]?
    package private(set) var hasPicture = false
    /// Begins with a key frame that is shown.
    package private(set) var isKeyFrame = false
    /// There is a sequence header before the first frame.
    package var beginsWithSequenceHeader: Bool { sequenceHeader != nil }

    package init() {}

    /// - Throws: where a unit ends beyond the bytes, or a sequence header cannot be read.
    package init(_ bytes: RawSpan, header: AV1SequenceHeader? = nil) throws(BitstreamError) {
        var reader = TemporalUnitReader(header: header)
        for unit in try OpenBitstreamUnit.units(in: bytes) { try reader.append(unit, of: bytes) }
        self = reader.unit
    }

    fileprivate mutating func append(_ unit: OpenBitstreamUnit, of bytes: RawSpan, isSequenceHeader: Bool) {
        let sized = unit.sized(in: bytes)
        if isSequenceHeader { sequenceHeader = sized }
        self.bytes += sized
    }

    fileprivate mutating func noteFrame(isKeyFrame: Bool) {
        if !hasPicture { self.isKeyFrame = isKeyFrame }
        hasPicture = true
    }
}

/// Collects the units of temporal units.
private struct TemporalUnitReader: Sendable {
    /// The last one; what a frame's first bits mean depends on it.
    var header: AV1SequenceHeader?
    var unit = TemporalUnit()

    mutating func append(_ new: OpenBitstreamUnit, of bytes: RawSpan) throws(BitstreamError) {
        guard new.type != .temporalDelimiter else { return }
        if new.type == .sequenceHeader { header = try AV1SequenceHeader(bytes.extracting(new.payload)) }
        unit.append(new, of: bytes, isSequenceHeader: new.type == .sequenceHeader)
        guard new.type.hasFrameHeader else { return }
        let isStill = header?.isStillPicture ?? false
        unit.noteFrame(isKeyFrame: isStill ? true : try AV1FrameStart(bytes.extracting(new.payload)).isShownKeyFrame)
    }

    mutating func take() -> TemporalUnit {
        defer { unit = TemporalUnit() }
        return unit
    }
}

/// Cuts a stream of the low-overhead format (AV1 5.2) into temporal units, from chunks of any size.
///
/// A temporal unit comes out when the delimiter of the next one has come; `finish` gives the last. Nothing but sizes says
/// where units begin: after a damaged one, it goes on at the next delimiter that a sequence header follows.
package struct TemporalUnitSplitter: Sendable {
    /// A stream whose units are larger than this is none.
    package static let maxByteCount = 1 << 26

    private var buffer: [UInt8] = []
    private var reader = TemporalUnitReader()
    private var isLost = false

    package init() {}

    package typealias Output = Result<TemporalUnit, BitstreamError>

    /// - Returns: the temporal units that are whole now, and why others are none.
    package mutating func append(_ chunk: RawSpan) -> [Output] {
        buffer.append(chunk, 0..<chunk.byteCount)
        if isLost { findBeginning() }
        var finished: [Output] = []
        while !isLost {
            do throws(BitstreamError) {
                try readUnits(into: &finished)
                break
            } catch {
                finished.append(.failure(error))
                lose()
            }
        }
        return finished
    }

    private mutating func readUnits(into finished: inout [Output]) throws(BitstreamError) {
        // A second reference, not a copy: while the span is in use, `self.buffer` may not be accessed.
        let bytes = buffer
        var offset = 0
        defer { if offset > 0 { buffer.removeFirst(offset) } }
        while let unit = try OpenBitstreamUnit.whole(in: bytes.span.bytes, at: offset) {
            if unit.type == .temporalDelimiter { end(into: &finished) }
            try reader.append(unit, of: bytes.span.bytes)
            offset = unit.range.upperBound
        }
        guard bytes.count - offset <= Self.maxByteCount, reader.unit.bytes.count <= Self.maxByteCount else {
            throw .invalid(element: "temporal unit", value: Int64(bytes.count))
        }
    }

    /// The end of the stream, or of a temporal unit.
    ///
    /// - Returns: the last one, or `.truncated` where it is not whole.
    package mutating func finish() -> [Output] {
        let isWhole = buffer.isEmpty || isLost
        (buffer, isLost) = ([], false)
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

    private mutating func lose() {
        buffer.removeFirst(min(buffer.count, 1))
        _ = reader.take()
        isLost = true
        findBeginning()
    }

    /// A delimiter without extension and a sequence header with its size.
    private mutating func findBeginning() {
        let wanted: [UInt8] = [0x12, 0x00, 0x0a]
        let place = buffer.indices.dropLast(2).first { buffer[$0] == 0x12 && buffer[$0..<$0 + 3].elementsEqual(wanted) }
        buffer.removeFirst(place ?? max(0, buffer.count - 2))
        isLost = place == nil
    }
}

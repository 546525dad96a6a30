import VTXSystem

/// A temporal unit: the input of an AV1 decoder for one shown frame. It consists of all units between two temporal
/// delimiters (AV1 7.5), without the delimiters, as in containers.
package struct TemporalUnit: Sendable, Hashable {
    /// The units, each with its size.
    package private(set) var bytes: [UInt8] = []
    /// The last sequence header, with its header and size; nil if there is none.
    package private(set) var sequenceHeader: [UInt8]?
    package private(set) var hasPicture = false
    /// Whether it begins with a shown key frame.
    package private(set) var isKeyFrame = false
    /// Whether a sequence header precedes the first frame.
    package var beginsWithSequenceHeader: Bool { sequenceHeader != nil }

    package init() {}

    /// - Throws: if a unit extends beyond the data, or a sequence header cannot be parsed.
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
    /// The last sequence header, on which the meaning of a frame header depends.
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

/// Splits a stream of the low-overhead format (AV1 5.2) into temporal units, from chunks of any size.
///
/// A temporal unit comes out when the next delimiter has arrived; `finish()` returns the last one. Unit boundaries
/// follow from the sizes only, so after a corrupt unit, splitting continues at the next delimiter that is followed by a
/// sequence header.
package struct TemporalUnitSplitter: Sendable {
    /// The maximum size of a temporal unit; a larger one is invalid.
    package static let maxByteCount = 1 << 26

    private var buffer: [UInt8] = []
    private var reader = TemporalUnitReader()
    private var isLost = false

    package init() {}

    package typealias Output = Result<TemporalUnit, BitstreamError>

    /// - Returns: the temporal units that are complete, and errors for those that are invalid.
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

    /// Ends the stream or a temporal unit.
    ///
    /// - Returns: the last temporal unit, or `.truncated` if it is incomplete.
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

    /// Searches for a delimiter without extension followed by a sequence header with a size.
    private mutating func findBeginning() {
        let wanted: [UInt8] = [0x12, 0x00, 0x0a]
        let place = buffer.indices.dropLast(2).first { buffer[$0] == 0x12 && buffer[$0..<$0 + 3].elementsEqual(wanted) }
        buffer.removeFirst(place ?? max(0, buffer.count - 2))
        isLost = place == nil
    }
}

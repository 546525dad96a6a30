package import VTXMedia
package import VTXSystem

/// An access unit: one coded picture and the NAL units that belong to it (H.264 7.4.1.2, H.265 7.4.2.4).
package struct AccessUnit: Sendable, Hashable {
    /// The NAL units after start codes of four bytes.
    package var bytes: PaddedBuffer
    /// The NAL units, as ranges in `bytes`.
    package var units: [NALUnit]
    package var summary: Summary

    /// A summary of the slices.
    package struct Summary: Sendable, Hashable {
        /// Whether it is an IDR picture, or any IRAP picture in HEVC. Decoding can begin here.
        package var isKeyFrame = false
        package var isIDR = false
        /// The slice type with the most references; nil if no slice header could be parsed.
        package var sliceType: SliceType?
        /// `frame_num` of H.264.
        package var frameNum: Int?
        /// Whether reference pictures are missing before this one (H.264 7.4.3).
        package var hasFrameNumGap = false
        /// Whether later pictures may refer to it. True if no slice header could be parsed.
        package var isReference = true
        /// `pic_order_cnt_lsb`
        package var pocLsb: Int?
        /// PicOrderCnt, the display position in its sequence; nil if no slice header could be parsed.
        package var pictureOrderCount: Int?
        /// Whether all previous pictures are shown before it and the counts restart.
        package var beginsSequence = false
        /// nil for frames. Two fields of H.264 are two pictures in separate access units.
        package var field: FieldParity?
        /// Whether it has any slice, even one that could not be parsed.
        package var hasPicture = false
        /// The new or changed parameter sets, as indices of `units`.
        package var changedParameterSets: [Int] = []
        /// `recovery_frame_cnt` or `recovery_poc_cnt` of a recovery point SEI message (D.1.8, H.265 D.2.8).
        package var recoveryPoint: Int?

        package init() {}
    }
}

/// The lines of a frame that a field consists of.
package enum FieldParity: Sendable, Hashable {
    case top
    case bottom
}

/// Splits a byte stream into access units, from chunks of any size, such as those of a socket or a pipe.
///
/// An access unit comes out when the header of the next one's first NAL unit has arrived; `finish()` returns the last
/// one. The bytes are copied once, from the chunk into the access unit; except a header that two chunks share.
package struct AccessUnitSplitter: Sendable {
    /// The maximum size of an access unit; a larger one is invalid.
    package static let maxByteCount = 1 << 26
    package static let maxUnitCount = 1 << 16
    /// The elements that distinguish pictures end within these bytes (H.264 7.3.3, from `first_mb_in_slice` to
    /// `delta_pic_order_cnt`).
    private static let maxHeaderByteCount = 64

    /// The number of bytes before the first start code.
    package private(set) var strayByteCount: Int64 = 0
    package private(set) var boundary: AccessUnitBoundary
    private let codec: NALCodec
    /// The current access unit.
    private var buffer = PaddedBuffer()
    /// The NAL units of the current access unit, as ranges in `buffer`.
    private var units: [NALUnit] = []
    private var unit = UnitState.none
    /// The bytes of the current NAL unit before its header is complete.
    private var header: [UInt8] = []
    /// The number of zeros that the last chunk ended with, up to three: a start code may begin with them.
    private var zeroCount = 0
    private var finished: [AccessUnit] = []

    /// What is known of the current NAL unit.
    private enum UnitState {
        /// There was no start code yet.
        case none
        /// The header is incomplete, so the access unit is unknown.
        case header
        /// It belongs to the current access unit, in whose bytes it begins at this offset.
        case payload(Int)
    }

    package init(codec: NALCodec) {
        self.codec = codec
        boundary = AccessUnitBoundary(codec: codec)
    }

    /// Takes the next bytes of the stream.
    ///
    /// - Returns: the access units that are complete.
    /// - Throws: `.invalid` if one exceeds `maxByteCount` or `maxUnitCount`.
    package mutating func append(_ chunk: RawSpan) throws(BitstreamError) -> [AccessUnit] {
        var offset = 0
        while let code = startCode(in: chunk, from: offset) {
            take(chunk.extracting(offset..<max(offset, code.lowerBound)), isEnd: true)
            endUnit()
            if case .none = unit { strayByteCount -= Int64(countedByteCount(of: code, in: chunk)) }
            unit = .header
            offset = code.upperBound
        }
        take(chunk.extracting(offset...), isEnd: false)
        zeroCount = trailingZeros(of: chunk)
        guard buffer.count <= Self.maxByteCount, units.count <= Self.maxUnitCount else {
            throw .invalid(element: "access unit", value: Int64(buffer.count))
        }
        return takeFinished()
    }

    /// Appends a NAL unit, given without start code.
    package mutating func append(unit bytes: RawSpan) -> [AccessUnit] {
        take(RawSpan(), isEnd: true)
        endUnit()
        unit = .header
        take(bytes, isEnd: true)
        endUnit()
        return takeFinished()
    }

    /// Ends the stream and returns the last access units. Another stream with the same parameter sets may follow.
    package mutating func finish() -> [AccessUnit] {
        take(RawSpan(), isEnd: true)
        endUnit()
        if let summary = boundary.finish() { cut(summary) }
        (unit, zeroCount) = (.none, 0)
        return takeFinished()
    }

    /// Prepares for an access unit of a known size, so that its buffer need not grow.
    package mutating func expect(byteCount: Int) {
        if buffer.isEmpty { buffer = PaddedBuffer(capacity: byteCount) }
    }

    private mutating func takeFinished() -> [AccessUnit] {
        defer { finished = [] }
        return finished
    }
}

// MARK: Start codes

extension AccessUnitSplitter {
    /// Returns the place of the next start code of three bytes, which may begin before the chunk.
    private func startCode(in chunk: RawSpan, from offset: Int) -> Range<Int>? {
        if offset == 0, let length = startCodeRest(in: chunk) { return length - 3..<length }
        return StartCode.first(in: chunk, from: offset).map { $0..<$0 &+ 3 }
    }

    /// Returns the number of the chunk's bytes that complete a start code of the previous chunk.
    private func startCodeRest(in chunk: RawSpan) -> Int? {
        if zeroCount >= 2, chunk.byteCount > 0, chunk[0] == 1 { return 1 }
        if zeroCount > 0, chunk.byteCount > 1, chunk[0] == 0, chunk[1] == 1 { return 2 }
        return nil
    }

    /// Returns the number of a start code's bytes that were taken for others: those in the previous chunk, and a fourth
    /// one (B.1.1: `zero_byte`).
    private func countedByteCount(of code: Range<Int>, in chunk: RawSpan) -> Int {
        let before = max(0, -code.lowerBound)
        let hasZeroByte = code.lowerBound > 0 ? chunk[code.lowerBound &- 1] == 0 : zeroCount > before
        return before + (hasZeroByte ? 1 : 0)
    }

    private func trailingZeros(of chunk: RawSpan) -> Int {
        var count = 0
        while count < min(3, chunk.byteCount), chunk[chunk.byteCount &- 1 &- count] == 0 { count &+= 1 }
        return count == chunk.byteCount ? min(3, zeroCount &+ count) : count
    }
}

// MARK: NAL units

extension AccessUnitSplitter {
    /// Takes bytes of the current NAL unit, which may be followed by zeros.
    private mutating func take(_ bytes: RawSpan, isEnd: Bool) {
        switch unit {
        case .none: strayByteCount += Int64(bytes.byteCount)
        case .payload: buffer.append(bytes)
        case .header where header.isEmpty && (isEnd || bytes.byteCount >= Self.maxHeaderByteCount):
            place(bytes)
            take(bytes, isEnd: isEnd)
        case .header: takeHeader(bytes, isEnd: isEnd)
        }
    }

    private mutating func takeHeader(_ bytes: RawSpan, isEnd: Bool) {
        let count = min(bytes.byteCount, Self.maxHeaderByteCount - header.count)
        header.append(bytes.extracting(first: count))
        guard isEnd || header.count == Self.maxHeaderByteCount else { return }
        let whole = header
        header = []
        place(whole.span.bytes)
        take(whole.span.bytes, isEnd: isEnd)
        take(bytes.extracting(count...), isEnd: isEnd)
    }

    /// Determines the access unit of a NAL unit by its header.
    private mutating func place(_ bytes: RawSpan) {
        let header = bytes.extracting(0..<unitEnd(in: bytes.extracting(first: Self.maxHeaderByteCount)))
        if boundary.begins(header), let summary = boundary.finish() { cut(summary) }
        buffer.append(AnnexB.startCode)
        unit = .payload(buffer.count)
    }

    /// Returns the offset of the zeros at the end, which belong to the byte stream (B.1.1: `trailing_zero_8bits`).
    private func unitEnd(in bytes: RawSpan) -> Int {
        var end = bytes.byteCount
        while end > 0, bytes[end &- 1] == 0 { end &-= 1 }
        return end
    }

    /// Ends the current NAL unit.
    private mutating func endUnit() {
        guard case .payload(let begin) = unit else { return }
        unit = .header
        let bytes = buffer.bytes.bytes
        let end = begin + unitEnd(in: bytes.extracting(begin...))
        guard begin < end else { return buffer.truncate(to: begin - AnnexB.startCode.count) }
        units.append(NALUnit(codec: codec, range: begin..<end, in: bytes))
        boundary.add(bytes.extracting(begin..<end))
        buffer.truncate(to: end)
    }

    private mutating func cut(_ summary: AccessUnit.Summary) {
        buffer.trim()
        finished.append(AccessUnit(bytes: buffer, units: units, summary: summary))
        (buffer, units) = (PaddedBuffer(capacity: buffer.count), [])
    }
}

package import VTXMedia

/// An access unit: one coded picture and the NAL units that belong to it (H.264 7.4.1.2, H.265 7.4.2.4).
package struct AccessUnit: Sendable, Hashable {
    /// The bytes as received, including start codes.
    package var bytes: [UInt8]
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
/// An access unit comes out when the NAL unit that begins the next one has ended; `finish()` returns the last one.
package struct AccessUnitSplitter: Sendable {
    /// The maximum size of an access unit; a larger one is invalid.
    package static let maxByteCount = 1 << 26
    package static let maxUnitCount = 1 << 16

    private let codec: NALCodec
    package private(set) var boundary: AccessUnitBoundary
    private var buffer: [UInt8] = []
    /// The offset of the current access unit's first start code.
    private var begin = 0
    /// The NAL units of the current access unit, as ranges in `buffer`.
    private var units: [NALUnit] = []
    /// The offset of the current NAL unit after its start code; nil before the first one.
    private var payload: Int?
    /// The offset up to which the buffer has been searched.
    private var scanned = 0

    package init(codec: NALCodec) {
        self.codec = codec
        boundary = AccessUnitBoundary(codec: codec)
    }

    /// Takes the next bytes of the stream.
    ///
    /// - Returns: the access units that are complete.
    /// - Throws: `.invalid` if one exceeds `maxByteCount` or `maxUnitCount`.
    package mutating func append(_ chunk: RawSpan) throws(BitstreamError) -> [AccessUnit] {
        buffer.append(chunk, 0..<chunk.byteCount)
        return try search()
    }

    /// Takes the next bytes of the stream, without a copy if none wait. If they are one access unit, its bytes are this
    /// array.
    package mutating func append(owning bytes: [UInt8]) throws(BitstreamError) -> [AccessUnit] {
        guard buffer.isEmpty else { return try append(bytes.span.bytes) }
        buffer = bytes
        return try search()
    }

    private mutating func search() throws(BitstreamError) -> [AccessUnit] {
        var finished: [AccessUnit] = []
        while let code = StartCode.first(in: buffer.span.bytes, from: scanned) {
            // A zero before the three bytes is a part of the code (B.1.1: zero_byte).
            let start = code > max(begin, payload ?? 0) && buffer[code &- 1] == 0 ? code &- 1 : code
            endUnit(at: start, into: &finished)
            if payload == nil { begin = start }
            payload = code &+ 3
            scanned = code &+ 3
        }
        // The last two bytes may be the beginning of a start code.
        scanned = max(scanned, buffer.count &- 2)
        dropFinished()
        guard buffer.count <= Self.maxByteCount, units.count <= Self.maxUnitCount else {
            throw .invalid(element: "access unit", value: Int64(buffer.count))
        }
        return finished
    }

    /// Ends the stream and returns the last access units. Another stream with the same parameter sets may follow.
    package mutating func finish() -> [AccessUnit] {
        var finished: [AccessUnit] = []
        endUnit(at: buffer.count, into: &finished)
        if let summary = boundary.finish() { cut(at: buffer.count, summary, into: &finished) }
        (buffer, begin, units, payload, scanned) = ([], 0, [], nil, 0)
        return finished
    }

    private mutating func endUnit(at end: Int, into finished: inout [AccessUnit]) {
        guard let payload else { return }
        var last = end
        while last > payload && buffer[last &- 1] == 0 { last &-= 1 }
        guard last > payload else { return }
        let unit = NALUnit(codec: codec, range: payload..<last, in: buffer.span.bytes)
        // A second reference, not a copy: while the span is in use, `self.buffer` may not be accessed.
        let bytes = buffer
        if let summary = boundary.append(bytes.span.bytes.extracting(unit.range)) {
            cut(at: startCode(before: payload), summary, into: &finished)
        }
        units.append(unit)
    }

    /// Returns the offset of the start code before a payload, including a fourth byte.
    private func startCode(before payload: Int) -> Int {
        payload >= begin &+ 4 && buffer[payload &- 4] == 0 ? payload &- 4 : payload &- 3
    }

    private mutating func cut(at end: Int, _ summary: AccessUnit.Summary, into finished: inout [AccessUnit]) {
        let own = units.map { unit in
            var unit = unit
            unit.range = unit.range.lowerBound &- begin..<unit.range.upperBound &- begin
            return unit
        }
        let bytes = begin == 0 && end == buffer.count ? buffer : Array(buffer[begin..<end])
        finished.append(AccessUnit(bytes: bytes, units: own, summary: summary))
        (begin, units) = (end, [])
    }

    /// Removes the bytes already output, and anything before the first start code except a zero that may belong to it.
    private mutating func dropFinished() {
        let drop = payload == nil ? max(0, scanned &- 1) : begin
        guard drop > 0 else { return }
        buffer.removeFirst(drop)
        for index in units.indices {
            let range = units[index].range
            units[index].range = range.lowerBound &- drop..<range.upperBound &- drop
        }
        begin = max(0, begin &- drop)
        payload = payload.map { $0 &- drop }
        scanned = max(0, scanned &- drop)
    }
}

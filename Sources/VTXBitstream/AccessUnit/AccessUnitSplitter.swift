package import VTXMedia

/// One coded picture with everything that belongs to it (H.264 7.4.1.2, H.265 7.4.2.4).
package struct AccessUnit: Sendable, Hashable {
    /// As they came, start codes included.
    package var bytes: [UInt8]
    /// Ranges in `bytes`.
    package var units: [NALUnit]
    package var summary: Summary

    /// What its slices say.
    package struct Summary: Sendable, Hashable {
        /// An IDR picture, or in HEVC any IRAP picture: decoding can begin here.
        package var isKeyFrame = false
        package var isIDR = false
        /// The most that any slice may refer to; nil where no slice header could be read.
        package var sliceType: SliceType?
        /// `frame_num` of H.264.
        package var frameNum: Int?
        /// Reference pictures before this one are missing in the stream (H.264 7.4.3).
        package var hasFrameNumGap = false
        /// Later pictures may refer to it; true where no slice header says.
        package var isReference = true
        /// `pic_order_cnt_lsb`
        package var pocLsb: Int?
        /// PicOrderCnt: where among its sequence's pictures this one is shown; nil where no slice header says.
        package var pictureOrderCount: Int?
        /// All pictures before it are shown before it, and the counts begin again.
        package var beginsSequence = false
        /// nil for frames; two fields of H.264 are two pictures, each with an access unit of its own.
        package var field: FieldParity?
        /// Any slice of a picture, readable or not.
        package var hasPicture = false
        /// Parameter sets that are new or have another content than before, as indices of `units`.
        package var changedParameterSets: [Int] = []
        /// `recovery_frame_cnt` or `recovery_poc_cnt` of a recovery point SEI message (D.1.8, H.265 D.2.8).
        package var recoveryPoint: Int?

        package init() {}
    }
}

/// Which lines of a frame a field has.
package enum FieldParity: Sendable, Hashable {
    case top
    case bottom
}

/// Cuts a byte stream into access units, from chunks of any size, as a socket or a pipe gives them.
///
/// An access unit comes out as soon as the NAL unit that begins the next one has ended; `finish` gives the last.
package struct AccessUnitSplitter: Sendable {
    /// A stream whose access units are larger than this is none.
    package static let maxByteCount = 1 << 26
    package static let maxUnitCount = 1 << 16

    private let codec: NALCodec
    package private(set) var boundary: AccessUnitBoundary
    private var buffer: [UInt8] = []
    /// Where the access unit that is being collected begins: at its first start code.
    private var begin = 0
    /// The NAL units of that access unit, as ranges in `buffer`.
    private var units: [NALUnit] = []
    /// Where the NAL unit that has not ended begins, its start code left out; nil before the first one.
    private var payload: Int?
    /// Nothing before this offset has to be looked at again.
    private var scanned = 0

    package init(codec: NALCodec) {
        self.codec = codec
        boundary = AccessUnitBoundary(codec: codec)
    }

    /// Takes the next bytes of the stream.
    ///
    /// - Returns: the access units that are whole now.
    /// - Throws: `.invalid` where one grows beyond `maxByteCount` or `maxUnitCount`.
    package mutating func append(_ chunk: RawSpan) throws(BitstreamError) -> [AccessUnit] {
        buffer.append(chunk, 0..<chunk.byteCount)
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

    /// The end of the stream: gives the last access units, and is ready for another stream with the same sets.
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

    /// Where the start code of a payload begins, its fourth byte included.
    private func startCode(before payload: Int) -> Int {
        payload >= begin &+ 4 && buffer[payload &- 4] == 0 ? payload &- 4 : payload &- 3
    }

    private mutating func cut(at end: Int, _ summary: AccessUnit.Summary, into finished: inout [AccessUnit]) {
        let own = units.map { unit in
            var unit = unit
            unit.range = unit.range.lowerBound &- begin..<unit.range.upperBound &- begin
            return unit
        }
        finished.append(AccessUnit(bytes: Array(buffer[begin..<end]), units: own, summary: summary))
        (begin, units) = (end, [])
    }

    /// Forgets what was given out, and junk before the first start code; a zero may yet belong to that code.
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

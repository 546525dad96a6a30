package import VTXMedia

/// Tells the byte streams of the two codecs from each other, and from what merely begins alike: MPEG-1 and MPEG-2 video
/// and program streams have the same start codes.
package enum ByteStreamCodec {
    /// The codec whose parameter sets are there; nil where none, or those of both, can be read.
    ///
    /// - Parameter head: the beginning of a byte stream.
    package static func announced(in head: RawSpan) -> NALCodec? {
        guard beginsWithStartCode(head) else { return nil }
        let codecs = NALCodec.allCases.filter { announces($0, head) }
        return codecs.count == 1 ? codecs[0] : nil
    }

    /// The one codec that allows the headers of all NAL units; nil for none or both.
    package static func guessed(from head: RawSpan) -> NALCodec? {
        guard beginsWithStartCode(head) else { return nil }
        let codecs = NALCodec.allCases.filter { codec in
            let units = AnnexB.units(in: head, codec: codec)
            return units.contains(where: \.isVCL) && units.allSatisfy { $0.isPlausible(in: head) }
        }
        return codecs.count == 1 ? codecs[0] : nil
    }

    /// True where nothing but zeros stands before the first start code.
    package static func beginsWithStartCode(_ head: RawSpan) -> Bool {
        var offset = 0
        while offset < head.byteCount, head[offset] == 0 { offset &+= 1 }
        return offset >= 2 && offset < head.byteCount && head[offset] == 1
    }

    private static func announces(_ codec: NALCodec, _ head: RawSpan) -> Bool {
        AnnexB.units(in: head, codec: codec).contains { unit in
            guard unit.isSPS else { return false }
            let bytes = head.extracting(unit.range)
            return codec == .h264 ? (try? H264SPS(nalUnit: bytes)) != nil : (try? HEVCSPS(nalUnit: bytes)) != nil
        }
    }
}

extension NALUnit {
    /// Whether the header is one that encoders write (H.264 7.4.1, H.265 7.4.2.2).
    fileprivate func isPlausible(in head: RawSpan) -> Bool {
        let bytes = head.extracting(range)
        guard codec == .h264 else {
            guard let header = try? HEVCNALUnitHeader(bytes) else { return false }
            let isKnown = header.type.isSlice || (32...40).contains(header.type.rawValue)
            return isKnown && header.layerID == 0 && (header.temporalID == 0 || !header.type.isIRAP)
        }
        guard let header = try? H264NALUnitHeader(bytes) else { return false }
        switch header.type.rawValue {
        case 1...4: return true
        case 5, 7, 8, 13, 15: return header.refIDC != 0
        case 6, 9...12: return header.refIDC == 0
        default: return false
        }
    }
}

/// Finds the NAL units of a byte stream that comes in chunks, in memory that no unit's size changes: of each, only the
/// beginning is kept.
package struct ByteStreamReader: Sendable {
    /// No parameter set and no slice header is longer, and hardly an SEI message.
    package static let headLimit = 1 << 16

    /// A NAL unit of the stream.
    package struct Unit: Sendable, Hashable {
        /// Of its first byte, after the start code, from the stream's beginning.
        package var offset: Int64
        /// 4 where a zero byte stands before the code (B.1.1: `zero_byte`), else 3.
        package var startCodeSize: Int
        /// Without the zeros after it.
        package var size: Int64 = 0
        /// All its bytes, or the first `headLimit`.
        package var head: [UInt8] = []

        package var isWhole: Bool { size == Int64(head.count) }
    }

    /// Bytes before the first start code that are not zero.
    package private(set) var strayByteCount: Int64 = 0
    /// What has not been looked at, two bytes at most between two calls: they may begin a start code.
    private var buffer: [UInt8] = []
    /// Of `buffer` in the stream.
    private var position: Int64 = 0
    private var unit: Unit?
    /// Zeros that belong to the unit if anything else follows them there.
    private var zeros: Int64 = 0

    package init() {}

    /// Takes the next bytes of the stream, and hands on each unit that is whole now.
    package mutating func append(_ chunk: RawSpan, _ body: (Unit) -> Void) {
        buffer.append(chunk, 0..<chunk.byteCount)
        var begin = 0
        while let code = StartCode.first(in: buffer.span.bytes, from: begin) {
            take(begin..<code)
            finishUnit(body)
            begin = code &+ 3
            unit = Unit(offset: position &+ Int64(begin), startCodeSize: zeros > 0 ? 4 : 3)
            zeros = 0
        }
        let rest = max(begin, buffer.count &- 2)
        take(begin..<rest)
        buffer.removeFirst(rest)
        position &+= Int64(rest)
    }

    /// The end of the stream: hands on the last unit.
    package mutating func finish(_ body: (Unit) -> Void) {
        take(0..<buffer.count)
        finishUnit(body)
        let stray = strayByteCount
        self = ByteStreamReader()
        strayByteCount = stray
    }

    private mutating func finishUnit(_ body: (Unit) -> Void) {
        if let unit, unit.size > 0 { body(unit) }
        unit = nil
    }

    /// Adds a part of the buffer to the unit that is being read.
    private mutating func take(_ range: Range<Int>) {
        var end = range.upperBound
        while end > range.lowerBound, buffer[end &- 1] == 0 { end &-= 1 }
        let trailing = Int64(range.upperBound &- end)
        guard end > range.lowerBound else { return zeros &+= trailing }
        if unit == nil {
            strayByteCount &+= Int64(end &- range.lowerBound)
        } else {
            extend(by: range.lowerBound..<end)
        }
        zeros = trailing
    }

    private mutating func extend(by range: Range<Int>) {
        let size = unit?.size ?? 0
        unit?.size = size &+ zeros &+ Int64(range.count)
        let room = Int64(Self.headLimit) &- size
        guard room > 0 else { return }
        let padding = min(zeros, room)
        unit?.head.append(contentsOf: repeatElement(0, count: Int(padding)))
        unit?.head.append(contentsOf: buffer[range].prefix(Int(room &- padding)))
    }
}

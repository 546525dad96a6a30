/// Finds the NAL units of a byte stream in chunks. Memory use does not depend on the size of the units: only the
/// beginning of each is kept.
package struct ByteStreamReader: Sendable {
    /// The size that is kept of each unit. No parameter set or slice header is longer, and hardly any SEI message.
    package static let headLimit = 1 << 16

    /// A NAL unit of the stream.
    package struct Unit: Sendable, Hashable {
        /// The offset of its first byte in the stream, after the start code.
        package var offset: Int64
        /// 4 if a zero byte precedes the code (B.1.1: `zero_byte`), otherwise 3.
        package var startCodeSize: Int
        /// The size without trailing zeros.
        package var size: Int64 = 0
        /// The bytes of the unit, up to `headLimit`.
        package var head: [UInt8] = []

        package var isWhole: Bool { size == Int64(head.count) }
    }

    /// The number of nonzero bytes before the first start code.
    package private(set) var strayByteCount: Int64 = 0
    /// The bytes not yet searched: between calls at most two, which may begin a start code.
    private var buffer: [UInt8] = []
    /// The offset of `buffer` in the stream.
    private var position: Int64 = 0
    private var unit: Unit?
    /// The number of zeros that belong to the unit if other bytes follow.
    private var zeros: Int64 = 0

    package init() {}

    /// Takes the next bytes of the stream and calls `body` with each complete unit.
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

    /// Ends the stream and calls `body` with the last unit.
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

    /// Appends a range of the buffer to the current unit.
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

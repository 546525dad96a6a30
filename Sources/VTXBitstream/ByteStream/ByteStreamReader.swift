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

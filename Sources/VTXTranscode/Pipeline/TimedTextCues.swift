/// Merges overlapping cues into samples of timed text, of which a track shows one at a time (3GPP TS 26.245 5.17):
/// while several cues are shown, the sample contains the text of all. Pure; times in ticks.
struct TimedTextCues: Sendable {
    struct Sample: Sendable, Hashable {
        var bytes: [UInt8]
        var start: Int64
        var end: Int64
    }

    private var shown: [Sample] = []
    private var position = Int64.min

    /// - Parameter cue: Begins no earlier than the previous one.
    /// - Returns: what is shown until it begins.
    mutating func add(_ cue: Sample) -> [Sample] {
        let samples = advance(to: cue.start)
        shown.append(Sample(bytes: cue.bytes, start: cue.start, end: max(cue.end, cue.start + 1)))
        return samples
    }

    mutating func finish() -> [Sample] { advance(to: .max) }

    private mutating func advance(to time: Int64) -> [Sample] {
        var samples: [Sample] = []
        while position < time, let end = shown.map(\.end).min() {
            let next = min(end, time)
            if next > position {
                let bytes = shown.dropFirst().reduce(shown[0].bytes) { TimedText($0).joined(TimedText($1.bytes)) ?? $0 }
                samples.append(Sample(bytes: bytes, start: position, end: next))
            }
            position = next
            shown.removeAll { $0.end <= position }
        }
        position = max(position, time)
        return samples
    }
}

/// A sample: a text with its length before it, followed by boxes, of which only `styl` is used.
private struct TimedText {
    private static let styleSize = 12
    private var text: ArraySlice<UInt8>
    /// Records of 12 bytes; the first four are the first and last character it applies to.
    private var styles: [[UInt8]] = []

    init(_ bytes: [UInt8]) {
        let length = Self.number(bytes[...].prefix(2))
        text = bytes.dropFirst(2).prefix(length)
        var boxes = bytes.dropFirst(2 + length)
        while boxes.count > 10, case let size = Self.number(boxes.prefix(4)), size > 10, size <= boxes.count {
            if boxes.dropFirst(4).starts(with: Array("styl".utf8)) { readStyles(boxes.prefix(size).dropFirst(10)) }
            boxes = boxes.dropFirst(size)
        }
    }

    private mutating func readStyles(_ records: ArraySlice<UInt8>) {
        var records = records
        while records.count >= Self.styleSize {
            styles.append(Array(records.prefix(Self.styleSize)))
            records = records.dropFirst(Self.styleSize)
        }
    }

    /// Returns both texts, one below the other; nil if they are too long for the format.
    func joined(_ other: TimedText) -> [UInt8]? {
        let both = text + [UInt8(ascii: "\n")] + other.text
        guard both.count <= Int(UInt16.max) else { return nil }
        let shift = String(decoding: text, as: UTF8.self).unicodeScalars.count + 1
        let records = styles + other.styles.map { Self.shifted($0, by: shift) }
        let bytes = Self.bytes(both.count, 2) + both
        guard !records.isEmpty else { return bytes }
        return bytes + Self.bytes(10 + records.count * Self.styleSize, 4) + Array("styl".utf8)
            + Self.bytes(records.count, 2) + records.flatMap(\.self)
    }

    private static func shifted(_ record: [UInt8], by shift: Int) -> [UInt8] {
        bytes(number(record[0..<2]) + shift, 2) + bytes(number(record[2..<4]) + shift, 2) + record[4...]
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }
}

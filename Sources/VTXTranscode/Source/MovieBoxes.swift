import VTXSystem

/// The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12, 4.2), read where they lie.
struct MovieBoxes: ~Copyable {
    struct Box: Sendable, Hashable {
        /// Four characters; those that are none are replaced.
        var type: String
        /// Where the box begins in the file.
        var offset: Int64
        /// What is in it, in bytes from the file's beginning; as long as it says, even beyond the file.
        var body: Range<Int64>
    }

    private let file: FileDescriptor
    let byteCount: Int64

    init(reading path: String) throws(SystemError) { try self.init(FileDescriptor(opening: path)) }

    init(_ file: consuming FileDescriptor) throws(SystemError) {
        byteCount = file.status?.byteCount ?? 0
        self.file = file
    }

    /// Boxes beside each other, up to the first that is longer than what it lies in, which is the last.
    func boxes(in range: Range<Int64>) -> [Box] {
        var boxes: [Box] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, let box = box(at: offset, in: range) {
            boxes.append(box)
            guard box.body.upperBound <= range.upperBound else { break }
            offset = box.body.upperBound
        }
        return boxes
    }

    var topLevel: [Box] { boxes(in: 0..<byteCount) }

    /// Where the first box is that does not end within the file, or is too short to be one; nil where all are right.
    var brokenBox: Int64? {
        guard let last = topLevel.last else { return 0 }
        let end = last.body.upperBound
        return end == byteCount ? nil : end > byteCount ? last.offset : end
    }

    /// Where an index begins that no box leads to, because one before it has a wrong length; nil where none is found in
    /// the last 16 MiB: `moov` with `mvhd`, which is the first box in it.
    var hiddenIndex: Int64? {
        let start = max(0, byteCount - 16 << 20)
        guard let tail = try? file.read(at: start, upTo: 16 << 20) else { return nil }
        let (index, header) = (Array("moov".utf8), Array("mvhd".utf8))
        let place = tail.indices.first { at in
            tail[at] == index[0] && tail[at...].starts(with: index)
                && tail[min(at + 8, tail.endIndex)...].starts(with: header)
        }
        return place.map { start + Int64($0) - 4 }
    }

    /// All boxes at a path such as `moov/trak`.
    func all(_ path: String, in parent: Box? = nil) -> [Box] {
        var found = [parent?.body ?? 0..<byteCount]
        var boxes: [Box] = []
        for type in path.split(separator: "/") {
            boxes = found.flatMap { self.boxes(in: $0) }.filter { $0.type == type }
            found = boxes.map(\.body)
        }
        return boxes
    }

    /// nil where the file ends before.
    func bytes(_ count: Int, at offset: Int64) -> [UInt8]? {
        guard let bytes = try? file.read(at: offset, upTo: count), bytes.count == count else { return nil }
        return bytes
    }

    func text(at offset: Int64) -> String { String(decoding: bytes(4, at: offset) ?? [], as: UTF8.self) }

    func write(_ byte: UInt8, at offset: Int64) throws(SystemError) {
        try file.seek(to: offset)
        try file.writeAll([byte])
    }

    private func box(at offset: Int64, in range: Range<Int64>) -> Box? {
        guard let size = bytes(4, at: offset).map(Self.number) else { return nil }
        let head: Int64 = size == 1 ? 16 : 8
        let length = size == 1 ? bytes(8, at: offset + 8).map(Self.number) ?? 0 : size
        // A size of zero means: up to the end.
        let end = size == 0 ? range.upperBound : offset.addingReportingOverflow(max(head, length)).partialValue
        guard size == 0 || length >= head, end >= offset + head else { return nil }
        return Box(type: text(at: offset + 4), offset: offset, body: offset + head..<end)
    }

    private static func number(_ bytes: [UInt8]) -> Int64 {
        Int64(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

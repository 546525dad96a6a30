import VTXSystem

/// The boxes of an MP4 or QuickTime file (ISO/IEC 14496-12, 4.2), read from disk.
struct MovieBoxes: ~Copyable {
    struct Box: Sendable, Hashable {
        /// Four characters; invalid ones are replaced.
        var type: String
        /// The offset of the box in the file.
        var offset: Int64
        /// The range of its contents in the file, which may extend beyond the end of the file.
        var body: Range<Int64>
    }

    private let file: FileDescriptor
    let byteCount: Int64

    init(reading path: String) throws(SystemError) { try self.init(FileDescriptor(opening: path)) }

    init(_ file: consuming FileDescriptor) throws(SystemError) {
        byteCount = file.status?.byteCount ?? 0
        self.file = file
    }

    /// Returns adjacent boxes, up to and including the first one that is longer than its parent.
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

    /// The offset of the first box that extends beyond the file or is too short; nil if there is none.
    var brokenBox: Int64? {
        guard let last = topLevel.last else { return 0 }
        let end = last.body.upperBound
        return end == byteCount ? nil : end > byteCount ? last.offset : end
    }

    /// The offset of an index that cannot be reached because a box before it has a wrong length: `moov` with `mvhd` as
    /// its first box. nil if there is none in the last 16 MiB.
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

    /// Returns all boxes at a path such as `moov/trak`.
    func all(_ path: String, in parent: Box? = nil) -> [Box] {
        var found = [parent?.body ?? 0..<byteCount]
        var boxes: [Box] = []
        for type in path.split(separator: "/") {
            boxes = found.flatMap { self.boxes(in: $0) }.filter { $0.type == type }
            found = boxes.map(\.body)
        }
        return boxes
    }

    /// nil if the file ends before.
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

/// The declared end of a Matroska file: that of its Segment, which contains everything after the EBML header (RFC 8794
/// for EBML, RFC 9559 5.1 for the Segment).
enum MatroskaSegment {
    private static let headerID: UInt64 = 0x1a45_dfa3
    private static let segmentID: UInt64 = 0x1853_8067
    /// Enough for both headers, including the padding that some writers add.
    private static let headBytes = 4096

    /// Returns the offset after the Segment; nil if its size is unknown, as in a live recording.
    static func end(ofFile path: String) -> Int64? {
        guard let file = try? FileDescriptor(opening: path), let head = try? file.read(at: 0, upTo: headBytes)
        else { return nil }
        return end(in: head)
    }

    /// - Parameter head: The first bytes of the file.
    static func end(in head: [UInt8]) -> Int64? {
        var reader = EBMLReader(bytes: head)
        guard let header = reader.element(), header.id == headerID, let length = header.size else { return nil }
        reader.skip(length)
        guard let segment = reader.element(), segment.id == segmentID, let length = segment.size else { return nil }
        let (end, overflow) = Int64(reader.offset).addingReportingOverflow(length)
        return overflow ? nil : end
    }
}

/// Reads the headers of EBML elements.
private struct EBMLReader {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil at the end of the bytes. A nil size is unknown (RFC 8794 6.2: all data bits are ones).
    mutating func element() -> (id: UInt64, size: Int64?)? {
        guard let id = variableInteger(), let size = variableInteger() else { return nil }
        let marker = UInt64(1) << (7 * size.length)
        let value = size.value & (marker - 1)
        return (id.value, value == marker - 1 ? nil : Int64(value))
    }

    mutating func skip(_ count: Int64) { offset += Int(min(count, Int64(bytes.count - offset))) }

    /// RFC 8794 4: one zero bit per additional byte, a one, and the number; returned including that one.
    private mutating func variableInteger() -> (value: UInt64, length: Int)? {
        guard offset < bytes.count, bytes[offset] != 0 else { return nil }
        let length = bytes[offset].leadingZeroBitCount + 1
        guard offset + length <= bytes.count else { return nil }
        defer { offset += length }
        return (bytes[offset..<offset + length].reduce(0) { $0 << 8 | UInt64($1) }, length)
    }
}

/// The pages of an Ogg file (RFC 3533 6). Pure.
enum OggPage {
    private static let capturePattern = Array("OggS".utf8)
    private static let headerSize = 27
    /// The size of the longest page: 255 segments of 255 bytes.
    private static let longest = headerSize + 255 + 255 * 255

    /// Whether a file ends within a page. A file that cannot be read does not.
    static func isCut(inFile path: String) -> Bool {
        guard let file = try? FileDescriptor(opening: path), let byteCount = file.status?.byteCount,
            let tail = try? file.read(at: max(0, byteCount - Int64(longest)), upTo: longest)
        else { return false }
        return isCut(in: tail)
    }

    /// - Parameter tail: The end of a file, from before its last page.
    static func isCut(in tail: [UInt8]) -> Bool {
        let last = tail.indices.last { tail[$0] == capturePattern[0] && tail[$0...].starts(with: capturePattern) }
        guard let last else { return false }
        let page = tail[last...]
        guard page.count >= headerSize else { return true }
        let segments = page.dropFirst(headerSize).prefix(Int(page[last + 26]))
        let size = headerSize + Int(page[last + 26]) + segments.reduce(0) { $0 + Int($1) }
        return page.count < size
    }
}

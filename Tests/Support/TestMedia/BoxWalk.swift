/// The boxes of an ISO base media file (ISO/IEC 14496-12, 4.2).
package enum BoxWalk {
    /// The types of the outermost boxes, in file order.
    package static func topLevel(_ bytes: [UInt8]) -> [String] {
        children(bytes, 0..<bytes.count).map(\.type)
    }

    /// The file's bytes before the first box of a type; all bytes if there is none.
    package static func topLevel(_ bytes: [UInt8], until type: String) -> [UInt8] {
        let boxes = children(bytes, 0..<bytes.count)
        // Eight bytes of size and type precede a box's contents.
        let end = boxes.first { $0.type == type }.map { $0.contents.lowerBound - 8 }
        return Array(bytes[..<(end ?? bytes.count)])
    }

    /// The contents of the first box at a path such as `moov/trak/mdia`; nil if there is none.
    package static func find(_ path: String, in bytes: [UInt8]) -> [UInt8]? {
        var range = 0..<bytes.count
        for type in path.split(separator: "/") {
            guard let box = children(bytes, range).first(where: { $0.type == type }) else { return nil }
            range = box.contents
        }
        return Array(bytes[range])
    }

    package static func box(_ type: String, contents: [UInt8]) -> [UInt8] {
        bigEndian(contents.count + 8) + Array(type.utf8) + contents
    }

    /// The file with a box appended to the first one at a path; no samples may follow it.
    package static func adding(_ box: [UInt8], to path: String, of bytes: [UInt8]) throws -> [UInt8] {
        var (changed, range) = (bytes, 0..<bytes.count)
        for type in path.split(separator: "/") {
            guard let found = children(bytes, range).first(where: { $0.type == type }) else {
                throw RecipeError("no box \(path)")
            }
            let begin = found.contents.lowerBound - 8
            changed.replaceSubrange(begin..<begin + 4, with: bigEndian(found.contents.upperBound - begin + box.count))
            range = found.contents.lowerBound + (fields[found.type] ?? 0)..<found.contents.upperBound
        }
        changed.insert(contentsOf: box, at: range.upperBound)
        return changed
    }

    /// Bytes before a box's first child.
    private static let fields = ["stsd": 8, "hev1": 78, "hvc1": 78, "avc1": 78]

    private static func bigEndian(_ number: Int) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(number >> $0 & 0xff) }
    }

    private static func children(_ bytes: [UInt8], _ range: Range<Int>) -> [(
        type: String, contents: Range<Int>
    )] {
        var boxes: [(String, Range<Int>)] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound {
            let short = number(bytes, offset, 4)
            let header = short == 1 ? 16 : 8
            let size =
                short == 1 ? number(bytes, offset + 8, 8) : short == 0 ? range.upperBound - offset : short
            guard size >= header, offset + size <= range.upperBound else { break }
            let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
            boxes.append((type, offset + header..<offset + size))
            offset += size
        }
        return boxes
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<min(bytes.count, offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
}

import VTXSystem

/// Boxes in a video's sample entry that libavformat passes over (ISO/IEC 14496-12 8.5.2).
struct SampleEntryBoxes {
    /// The contents of `moov`.
    private let movie: [UInt8]

    /// A larger index is not read: an hour of video takes a few megabytes.
    private static let maxMovieSize: Int64 = 256 << 20
    /// Version, flags and the number of entries, at the beginning of `stsd`.
    private static let entriesOffset = 8
    /// `VisualSampleEntry` up to its boxes.
    private static let boxesOffset = 78

    /// nil for what is no MP4 or QuickTime file, or has no index, and for pipes.
    init?(path: String) {
        guard FileStatus(path)?.kind == .regular, let file = try? FileDescriptor(opening: path),
            let movie = try? Self.movie(of: file)
        else { return nil }
        self.movie = movie
    }

    /// The contents of the box `type` in the entry whose box `recordType` holds `record`; nil where there is none.
    func contents(of type: String, beside record: [UInt8], in recordType: String) -> [UInt8]? {
        var tables = [movie.indices]
        for name in ["trak", "mdia", "minf", "stbl", "stsd"] {
            tables = tables.flatMap { MP4Box.all(in: movie[$0]) }.filter { $0.type == name }.map(\.contents)
        }
        let entries = tables.flatMap { MP4Box.all(in: movie[$0].dropFirst(Self.entriesOffset)) }
        for entry in entries {
            let boxes = MP4Box.all(in: movie[entry.contents].dropFirst(Self.boxesOffset))
            guard boxes.contains(where: { $0.type == recordType && movie[$0.contents].elementsEqual(record) }) else {
                continue
            }
            return boxes.first { $0.type == type }.map { Array(movie[$0.contents]) }
        }
        return nil
    }

    private static func movie(of file: borrowing FileDescriptor) throws(SystemError) -> [UInt8]? {
        var offset: Int64 = 0
        while let header = MP4BoxHeader(try file.read(at: offset, upTo: MP4BoxHeader.maxSize)[...]) {
            guard header.type == "moov" else {
                offset += header.boxSize
                continue
            }
            guard header.boxSize <= maxMovieSize else { return nil }
            return try file.read(at: offset + Int64(header.size), upTo: Int(header.boxSize) - header.size)
        }
        return nil
    }
}

/// A box that lies in memory (ISO/IEC 14496-12 4.2).
private struct MP4Box {
    var type: String
    var contents: Range<Int>

    /// One after the other, up to the first that does not fit.
    static func all(in bytes: ArraySlice<UInt8>) -> [MP4Box] {
        var (rest, boxes): (ArraySlice<UInt8>, [MP4Box]) = (bytes, [])
        while let header = MP4BoxHeader(rest), header.boxSize <= rest.count {
            let end = rest.startIndex + Int(header.boxSize)
            boxes.append(MP4Box(type: header.type, contents: rest.startIndex + header.size..<end))
            rest = rest[end...]
        }
        return boxes
    }
}

/// Size and type of a box. One that reaches to the end of the file (size 0) is not told from a broken one: it is the
/// last, and no index.
private struct MP4BoxHeader {
    static let maxSize = 16

    var type: String
    /// Of the header, in bytes.
    var size: Int
    /// Of the box with its header.
    var boxSize: Int64

    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        let short = Self.number(bytes.prefix(4))
        type = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
        size = short == 1 ? 16 : 8
        guard bytes.count >= size else { return nil }
        boxSize = short == 1 ? Self.number(bytes.dropFirst(8).prefix(8)) : short
        guard boxSize >= size, boxSize < 1 << 48 else { return nil }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}

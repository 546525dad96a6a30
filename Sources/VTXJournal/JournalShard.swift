import Glibc
import VTXSystem

/// What a journal holds of one video stream, or of one segment of it: the GOPs that are whole.
package struct JournalShard: Sendable, Hashable {
    package let name: String
    package private(set) var gops: [GOPRecord] = []

    /// A shard that has not been begun.
    package init(name: String) { self.name = name }

    /// Reads the index and holds each GOP against its checksum; what follows the first that does not match is not there.
    package init(reading name: String, of journal: JournalDirectory) throws(JournalError) {
        self.name = name
        let path = journal.file("\(name).gops")
        guard FileStatus(journal.file("\(name).index")) != nil, FileStatus(path) != nil else { return }
        let index = try reportingErrors(of: path) { () throws(SystemError) in
            try FileDescriptor(opening: journal.file("\(name).index")).readAll(limit: 1 << 30)
        }
        try reportingErrors(of: path) { () throws(SystemError) in
            let data = try FileDescriptor(opening: path)
            while let gop = nextRecord(in: index), try Self.isWhole(gop, in: data) { gops.append(gop) }
        }
    }

    private func nextRecord(in index: [UInt8]) -> GOPRecord? {
        let start = gops.count * GOPRecord.byteCount
        guard index.count >= start + GOPRecord.byteCount,
            let gop = GOPRecord(Array(index[start..<start + GOPRecord.byteCount])),
            gop.number == gops.count, gop.offset == byteCount, gop.byteCount > 0
        else { return nil }
        return gop
    }

    private static func isWhole(_ gop: GOPRecord, in data: borrowing FileDescriptor) throws(SystemError) -> Bool {
        var checksum = CRC32C()
        var offset = gop.offset
        while offset < gop.offset + gop.byteCount {
            let bytes = try data.read(at: offset, upTo: min(1 << 20, Int(gop.offset + gop.byteCount - offset)))
            if bytes.isEmpty { return false }
            checksum.add(bytes.span.bytes)
            offset += Int64(bytes.count)
        }
        return checksum.value == gop.checksum
    }

    /// Leaves out the GOP that holds a frame, and all that follow it.
    ///
    /// - Parameter frame: its place in decoding order.
    /// - Returns: the first GOP that is left out; nil where all stay.
    package mutating func cut(before frame: Int) -> GOPRecord? {
        var end = 0
        let first = gops.firstIndex { gop in
            end += Int(gop.frameCount)
            return end > frame
        }
        guard let first else { return nil }
        defer { gops.removeSubrange(first...) }
        return gops[first]
    }

    /// Cuts the files to what is in this value, on the disk too.
    package func truncate(in journal: JournalDirectory) throws(JournalError) {
        try ShardFiles(name, of: journal, after: gops).synchronize()
    }

    /// Of the whole GOPs together.
    package var byteCount: Int64 { gops.last.map { $0.offset + $0.byteCount } ?? 0 }
    package var frameCount: Int { gops.reduce(0) { $0 + Int($1.frameCount) } }
    /// Every frame up to this one is there; encoding goes on after it. Ticks of the encoder's time base; nil at the
    /// beginning.
    package var lastPTS: Int64? { gops.last?.lastPTS }

    /// The frames of one GOP, in decoding order, with the parameter sets that they were coded with.
    package func read(
        _ gop: GOPRecord, of journal: JournalDirectory
    ) throws(JournalError) -> (parameterSets: [UInt8], frames: [JournalPacket]) {
        let path = journal.file("\(name).gops")
        let bytes = try reportingErrors(of: path) { () throws(SystemError) in
            try FileDescriptor(opening: path).read(at: gop.offset, upTo: Int(gop.byteCount))
        }
        var (cursor, sets, frames) = (ByteCursor(bytes), [UInt8](), [JournalPacket]())
        while !cursor.isAtEnd {
            guard let packet = JournalPacket(&cursor) else {
                throw .system(path: path, SystemError("read", EIO))
            }
            if packet.isParameterSets { sets = packet.payload } else { frames.append(packet) }
        }
        return (sets, frames)
    }
}

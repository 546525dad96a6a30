import Glibc
import VTXSystem

/// The complete GOPs that a journal holds of the video, or of one of its renditions.
package struct JournalShard: Sendable, Hashable {
    package let name: String
    package private(set) var gops: [GOPRecord] = []

    /// Creates an empty shard.
    package init(name: String) { self.init(name: name, []) }

    init(name: String, _ gops: [GOPRecord]) { (self.name, self.gops) = (name, gops) }

    /// Reads the index and verifies each GOP's checksum. The first mismatch ends the shard.
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

    /// Removes the GOP that contains a frame, and all that follow it.
    ///
    /// - Parameter frame: The frame's index in decoding order.
    /// - Returns: the first GOP removed; nil if there is none.
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

    /// Removes the GOPs after the one that ends with the frame shown at this time; nil for all.
    fileprivate mutating func cut(after pts: Int64?) {
        let end = gops.firstIndex { $0.lastPTS == pts }.map { $0 + 1 } ?? 0
        gops.removeSubrange(end...)
    }

    /// Truncates the files to the GOPs in this value, and flushes them to the disk.
    package func truncate(in journal: JournalDirectory) throws(JournalError) {
        try ShardFiles(name, of: journal, after: gops).synchronize()
    }

    /// The total size of the complete GOPs.
    package var byteCount: Int64 { gops.last.map { $0.offset + $0.byteCount } ?? 0 }
    package var frameCount: Int { gops.reduce(0) { $0 + Int($1.frameCount) } }
    /// The presentation time of the last frame, after which encoding resumes, in ticks of the encoder's time base; nil
    /// for an empty shard.
    package var lastPTS: Int64? { gops.last?.lastPTS }
    /// The presentation time of the first frame.
    package var firstPTS: Int64? { gops.first?.firstPTS }

    /// Returns a GOP's frames in decoding order, with their parameter sets.
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

extension [JournalShard] {
    /// Cuts the renditions of one video after the last frame with which a GOP of each of them ends.
    ///
    /// A killed process had committed more of one than of another. A rendition whose encoder was replaced has a GOP
    /// more, so GOPs are not compared by number.
    package mutating func cutToCommonEnd() {
        guard count > 1 else { return }
        let ends = map { Set($0.gops.map(\.lastPTS)) }
        let common = ends.dropFirst().reduce(ends.first ?? []) { $0.intersection($1) }
        for index in indices { self[index].cut(after: common.max()) }
    }
}

import Glibc
import VTXSystem

/// Writes one shard: frames as they come, closed GOP after closed GOP.
///
/// A commit is data, `fdatasync`, index records, `fdatasync`, in this order: a crash between any two of them leaves the
/// state before or after it. Commits are grouped so that disks flush once a second at most; what a crash loses is
/// bounded by that second and the GOP that is open.
///
/// Nothing is on the disk before the first commit: a job that takes no second leaves nothing.
///
/// One thread writes.
package final class JournalWriter {
    /// Seconds between two commits.
    package static let interval = 1.0
    /// Bytes that may wait in memory. The disk need not have them before they are committed.
    private static let bufferLimit = 1 << 20

    private let name: String
    private let marks: () -> Bool
    private let directory: () throws(JournalError) -> JournalDirectory
    private var files: ShardFiles?
    private let now: () -> ContinuousClock.Instant
    private var lastCommit: ContinuousClock.Instant
    /// Bytes that are not in the file yet.
    private var buffer: [UInt8] = []
    /// Where `buffer` begins in the file.
    private var offset: Int64
    /// Closed GOPs that wait for a commit.
    private var closed: [GOPRecord] = []
    private var open: OpenGOP?
    package private(set) var committed: [GOPRecord]

    private struct OpenGOP {
        var start: Int64
        var frameCount: UInt32 = 0
        var firstPTS = Int64.max
        var lastPTS = Int64.min
        var parameterSets: UInt32
        var checksum = CRC32C()

        mutating func add(_ pts: Int64) {
            frameCount += 1
            (firstPTS, lastPTS) = (min(firstPTS, pts), max(lastPTS, pts))
        }
    }

    /// - Parameters:
    ///   - shard: what was committed before; new GOPs follow it.
    ///   - now: the time, on a clock that never goes back.
    ///   - marks: asked before each commit, whether the journal is to be marked from then on.
    ///   - directory: called once, before the first commit: a journal whose header is written.
    package init(
        after shard: JournalShard, now: @escaping () -> ContinuousClock.Instant = { .now },
        marks: @escaping () -> Bool = { false },
        in directory: @escaping () throws(JournalError) -> JournalDirectory
    ) {
        name = shard.name
        self.now = now
        self.marks = marks
        self.directory = directory
        lastCommit = now()
        committed = shard.gops
        offset = shard.byteCount
    }

    /// Something of this run's has been committed.
    package var isOnDisk: Bool { files != nil }

    /// Bytes written so far, committed or not.
    package var byteCount: Int64 { offset + Int64(buffer.count) }

    /// Takes the next frame, in decoding order. A key frame begins a GOP.
    ///
    /// - Parameter parameterSets: those that the frame is coded with, as extradata.
    package func append(_ packet: JournalPacket, parameterSets: [UInt8]) throws(JournalError) {
        if packet.isKeyFrame || open == nil {
            try closeGOP()
            open = OpenGOP(start: byteCount, parameterSets: CRC32C(parameterSets.span.bytes).value)
            var sets = JournalPacket(payload: parameterSets)
            sets.flags = JournalPacket.parameterSetsFlag
            add(sets)
        }
        add(packet)
        if let pts = packet.pts { open?.add(pts) }
        if buffer.count >= Self.bufferLimit, let files { try flush(to: files) }
    }

    private func add(_ packet: JournalPacket) {
        var bytes: [UInt8] = []
        packet.append(to: &bytes)
        open?.checksum.add(bytes.span.bytes)
        buffer += bytes
    }

    private func flush(to files: ShardFiles) throws(JournalError) {
        try files.writeData(buffer, at: offset)
        offset += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
    }

    private func opened() throws(JournalError) -> ShardFiles {
        if let files { return files }
        let opened = try ShardFiles(name, of: try directory(), after: committed)
        files = opened
        return opened
    }

    /// The frame that came last ends its GOP, which is committed where the last commit is a second ago.
    package func closeGOP() throws(JournalError) {
        guard let gop = open else { return }
        open = nil
        closed.append(
            GOPRecord(
                number: UInt32(clamping: committed.count + closed.count), offset: gop.start,
                byteCount: byteCount - gop.start, frameCount: gop.frameCount, firstPTS: gop.firstPTS,
                lastPTS: gop.lastPTS, parameterSets: gop.parameterSets, checksum: gop.checksum.value))
        if (now() - lastCommit) / .seconds(1) >= Self.interval { try commit() }
    }

    /// The last frame has come, and all of them reach the disk.
    package func finish() throws(JournalError) {
        try closeGOP()
        try commit()
    }

    /// Closed GOPs reach the disk; the open one is left to the next run.
    package func commit() throws(JournalError) {
        guard !closed.isEmpty else { return }
        let files = try opened()
        if marks() { try files.mark() }
        try flush(to: files)
        try files.commit(closed, after: committed.count)
        committed += closed
        closed = []
        lastCommit = now()
    }
}

/// The two files of a shard, open for writing.
private final class ShardFiles {
    private let journal: JournalDirectory
    private let path: String
    private let gops: FileDescriptor
    private let index: FileDescriptor

    /// - Parameter records: what is committed; what follows it in the files goes.
    init(_ name: String, of journal: JournalDirectory, after records: [GOPRecord]) throws(JournalError) {
        self.journal = journal
        path = journal.file(name)
        let end = records.last.map { $0.offset + $0.byteCount } ?? 0
        gops = try Self.open("\(path).gops", at: end)
        index = try Self.open("\(path).index", at: Int64(records.count * GOPRecord.byteCount))
        // A file system that cannot do this has done what it can.
        if records.isEmpty { try? Directory.synchronize(journal.path) }
    }

    private static func open(_ path: String, at end: Int64) throws(JournalError) -> FileDescriptor {
        try reportingErrors(of: path) { () throws(SystemError) in
            let file = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
            try file.truncate(to: end)
            return file
        }
    }

    func mark() throws(JournalError) {
        if !journal.isMarked { try journal.mark() }
    }

    func writeData(_ bytes: [UInt8], at offset: Int64) throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try gops.seek(to: offset)
            try gops.writeAll(bytes)
        }
    }

    func commit(_ records: [GOPRecord], after count: Int) throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try gops.synchronizeContent()
            try index.seek(to: Int64(count * GOPRecord.byteCount))
            try index.writeAll(records.flatMap { $0.bytes })
            try index.synchronizeContent()
        }
    }
}

extension JournalPacket {
    /// The first packet of each GOP: the parameter sets that it was coded with.
    package static let parameterSetsFlag: UInt16 = 1 << 15
    package var isParameterSets: Bool { flags & Self.parameterSetsFlag != 0 }
}

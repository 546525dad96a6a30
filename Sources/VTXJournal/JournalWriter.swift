import Glibc
import VTXSystem

/// Writes one shard: frames as they come, closed GOP after closed GOP.
///
/// A closed GOP is committed at once, by ordinary writes: its data, then its index record. That survives the end of the
/// process, whatever ends it. A power cut is another matter: once a second all of it is written through to the disk, and
/// what was committed since then may be there in part, a record without its data too. Who reads a shard therefore holds
/// each GOP against its checksum.
///
/// One thread writes.
package final class JournalWriter {
    /// Seconds after which what is committed is written through to the disk.
    package static let interval = 1.0
    /// Bytes of the open GOP that may wait in memory.
    private static let bufferLimit = 1 << 20

    private let name: String
    private let marks: () -> Bool
    private let directory: () throws(JournalError) -> JournalDirectory
    private var files: ShardFiles?
    private let now: () -> ContinuousClock.Instant
    private var lastSynchronization: ContinuousClock.Instant
    /// Bytes that are not in the file yet.
    private var buffer: [UInt8] = []
    /// Where `buffer` begins in the file.
    private var offset: Int64
    private var open: OpenGOP?
    package private(set) var committed: [GOPRecord]
    /// Those of `committed` that a power cut does not take.
    private var synchronizedCount: Int

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
    ///   - directory: called once, before the first write: a journal whose header is written.
    package init(
        after shard: JournalShard, now: @escaping () -> ContinuousClock.Instant = { .now },
        marks: @escaping () -> Bool = { false },
        in directory: @escaping () throws(JournalError) -> JournalDirectory
    ) {
        name = shard.name
        self.now = now
        self.marks = marks
        self.directory = directory
        lastSynchronization = now()
        committed = shard.gops
        synchronizedCount = committed.count
        offset = shard.byteCount
    }

    /// Something has been written through to the disk, by this run or an earlier one.
    package var isSynchronized: Bool { synchronizedCount > 0 }

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
        if buffer.count >= Self.bufferLimit { try flush(to: opened()) }
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

    /// The frame that came last ends its GOP, which is committed.
    package func closeGOP() throws(JournalError) {
        guard let gop = open else { return }
        open = nil
        let record = GOPRecord(
            number: UInt32(clamping: committed.count), offset: gop.start, byteCount: byteCount - gop.start,
            frameCount: gop.frameCount, firstPTS: gop.firstPTS, lastPTS: gop.lastPTS,
            parameterSets: gop.parameterSets, checksum: gop.checksum.value)
        let files = try opened()
        if marks() { try files.mark() }
        try flush(to: files)
        try files.writeRecord(record)
        committed.append(record)
        if (now() - lastSynchronization) / .seconds(1) >= Self.interval { try synchronize() }
    }

    /// What is committed is written through to the disk.
    package func synchronize() throws(JournalError) {
        guard let files, synchronizedCount < committed.count else { return }
        try files.synchronize()
        synchronizedCount = committed.count
        lastSynchronization = now()
    }
}

/// The two files of a shard, open for writing.
private final class ShardFiles {
    private let journal: JournalDirectory
    private let path: String
    private let gops: FileDescriptor
    private let index: FileDescriptor
    private var hasSynchronizedNames = false

    /// - Parameter records: what is committed; what follows it in the files goes.
    init(_ name: String, of journal: JournalDirectory, after records: [GOPRecord]) throws(JournalError) {
        self.journal = journal
        path = journal.file(name)
        let end = records.last.map { $0.offset + $0.byteCount } ?? 0
        gops = try Self.open("\(path).gops", at: end)
        index = try Self.open("\(path).index", at: Int64(records.count * GOPRecord.byteCount))
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

    func writeRecord(_ record: GOPRecord) throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try index.seek(to: Int64(record.number) * Int64(GOPRecord.byteCount))
            try index.writeAll(record.bytes)
        }
    }

    func synchronize() throws(JournalError) {
        try reportingErrors(of: path) { () throws(SystemError) in
            try gops.synchronizeContent()
            try index.synchronizeContent()
        }
        if !hasSynchronizedNames { try journal.synchronize() }
        hasSynchronizedNames = true
    }
}

extension JournalPacket {
    /// The first packet of each GOP: the parameter sets that it was coded with.
    package static let parameterSetsFlag: UInt16 = 1 << 15
    package var isParameterSets: Bool { flags & Self.parameterSetsFlag != 0 }
}

import Glibc
import VTXSystem

/// Writes a shard frame by frame, and commits each closed GOP.
///
/// A closed GOP is committed immediately with ordinary writes, first its data, then its index record. That survives a
/// crash of the process. Against power loss, the files are flushed to the disk once per second. After a power loss,
/// GOPs committed since the last flush may be incomplete, and a record may even exist without its data, so readers
/// verify the checksum of each GOP.
///
/// Flushes run on another thread, so a slow disk does not delay commits.
package final class JournalWriter {
    /// The interval of flushes, in seconds.
    package static let interval = 1.0
    /// The maximum size of the open GOP's data in memory.
    private static let bufferLimit = 1 << 20

    private let name: String
    private let marks: () -> Bool
    private let directory: () throws(JournalError) -> JournalDirectory
    private var files: ShardFiles?
    private let now: () -> ContinuousClock.Instant
    private let executor: Flush.Executor
    private var flush: Flush?
    private var lastSynchronization: ContinuousClock.Instant
    /// Data that is not in the file yet.
    private var buffer: [UInt8] = []
    /// The position of `buffer` in the file.
    private var offset: Int64
    private var open: OpenGOP?
    package private(set) var committed: [GOPRecord]
    /// The number of committed GOPs that are flushed to the disk.
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
    ///   - shard: The GOPs committed earlier; new ones follow them.
    ///   - now: Returns the time on a monotonic clock.
    ///   - executor: Runs flushes.
    ///   - marks: Called before each commit. Returns whether to mark the journal, see `JournalDirectory.isMarked`.
    ///   - directory: Called once, before the first write. Returns the journal, with its header written.
    package init(
        after shard: JournalShard, now: @escaping () -> ContinuousClock.Instant = { .now },
        executor: @escaping Flush.Executor = Flush.onThread, marks: @escaping () -> Bool = { false },
        in directory: @escaping () throws(JournalError) -> JournalDirectory
    ) {
        name = shard.name
        self.now = now
        self.executor = executor
        self.marks = marks
        self.directory = directory
        lastSynchronization = now()
        committed = shard.gops
        synchronizedCount = committed.count
        offset = shard.byteCount
    }

    /// Waits for a pending flush, because the journal's lock may be released next.
    deinit { _ = flush?.result(waits: true) }

    /// Whether any GOPs are flushed or being flushed to the disk, by this run or an earlier one.
    package var isSynchronized: Bool { synchronizedCount > 0 || flush != nil }

    /// The committed GOPs, including those of earlier runs.
    package var shard: JournalShard { JournalShard(name: name, committed) }

    /// The size of the data so far, committed or not.
    package var byteCount: Int64 { offset + Int64(buffer.count) }

    /// Appends the next frame in decoding order. A key frame starts a new GOP.
    ///
    /// - Parameter parameterSets: The frame's parameter sets, as extradata.
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

    /// Closes the current GOP and commits it.
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
        try takeFlush(waits: false)
        let isDue = (now() - lastSynchronization) / .seconds(1) >= Self.interval
        if isDue, flush == nil { try beginFlush(files) }
    }

    /// Flushes all committed GOPs and waits for the disk.
    package func synchronize() throws(JournalError) {
        try takeFlush(waits: true)
        guard let files, synchronizedCount < committed.count else { return }
        try beginFlush(files)
        try takeFlush(waits: true)
    }

    private func beginFlush(_ files: ShardFiles) throws(JournalError) {
        lastSynchronization = now()
        flush = try Flush(of: committed.count, executor) { () throws(JournalError) in try files.synchronize() }
    }

    /// - Parameter waits: Whether to wait until the flush has finished.
    private func takeFlush(waits: Bool) throws(JournalError) {
        guard let result = flush?.result(waits: waits) else { return }
        defer { flush = nil }
        try result.get()
        synchronizedCount = max(synchronizedCount, flush?.count ?? 0)
    }
}

extension JournalPacket {
    /// Marks the first packet of each GOP, which contains the parameter sets.
    package static let parameterSetsFlag: UInt16 = 1 << 15
    package var isParameterSets: Bool { flags & Self.parameterSetsFlag != 0 }
}

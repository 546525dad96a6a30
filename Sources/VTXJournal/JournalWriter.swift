import Glibc
import VTXSystem

/// Writes one shard: frames as they come, closed GOP after closed GOP.
///
/// A closed GOP is committed at once, by ordinary writes: its data, then its index record. That survives the end of the
/// process, whatever ends it. A power cut is another matter: once a second all of it is written through to the disk, and
/// what was committed since then may be there in part, a record without its data too. A reader of a shard therefore holds
/// each GOP against its checksum.
///
/// One thread writes. Another one waits for the disk: however slow it is, the frames that come meanwhile are committed.
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
    private let aside: Flush.Aside
    private var flush: Flush?
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
    ///   - aside: what waits for the disk.
    ///   - marks: asked before each commit, whether the journal is to be marked from then on.
    ///   - directory: called once, before the first write: a journal whose header is written.
    package init(
        after shard: JournalShard, now: @escaping () -> ContinuousClock.Instant = { .now },
        aside: @escaping Flush.Aside = Flush.onThread, marks: @escaping () -> Bool = { false },
        in directory: @escaping () throws(JournalError) -> JournalDirectory
    ) {
        name = shard.name
        self.now = now
        self.aside = aside
        self.marks = marks
        self.directory = directory
        lastSynchronization = now()
        committed = shard.gops
        synchronizedCount = committed.count
        offset = shard.byteCount
    }

    /// The journal is not another's before the disk has what is on its way.
    deinit { _ = flush?.result(waits: true) }

    /// Something has been written through to the disk, or is on its way, by this run or an earlier one.
    package var isSynchronized: Bool { synchronizedCount > 0 || flush != nil }

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
        try takeFlush(waits: false)
        let isDue = (now() - lastSynchronization) / .seconds(1) >= Self.interval
        if isDue, flush == nil { try beginFlush(files) }
    }

    /// What is committed is written through to the disk: returns when it is.
    package func synchronize() throws(JournalError) {
        try takeFlush(waits: true)
        guard let files, synchronizedCount < committed.count else { return }
        try beginFlush(files)
        try takeFlush(waits: true)
    }

    private func beginFlush(_ files: ShardFiles) throws(JournalError) {
        lastSynchronization = now()
        flush = try Flush(of: committed.count, aside) { () throws(JournalError) in try files.synchronize() }
    }

    /// - Parameter waits: until it is done.
    private func takeFlush(waits: Bool) throws(JournalError) {
        guard let result = flush?.result(waits: waits) else { return }
        defer { flush = nil }
        try result.get()
        synchronizedCount = max(synchronizedCount, flush?.count ?? 0)
    }
}

extension JournalPacket {
    /// The first packet of each GOP: the parameter sets that it was coded with.
    package static let parameterSetsFlag: UInt16 = 1 << 15
    package var isParameterSets: Bool { flags & Self.parameterSetsFlag != 0 }
}

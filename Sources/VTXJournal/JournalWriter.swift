import Glibc
import VTXSystem

/// Writes one shard: frames as they come, closed GOP after closed GOP.
///
/// A commit is data, `fdatasync`, index records, `fdatasync`, in this order: a crash between any two of them leaves the
/// state before or after it. Commits are grouped so that disks flush once a second at most; what a crash loses is
/// bounded by that second and the GOP that is open.
///
/// One thread writes.
package final class JournalWriter {
    /// Seconds between two commits.
    package static let interval = 1.0

    private let name: String
    private let gops: FileDescriptor
    private let index: FileDescriptor
    private let isDurable: Bool
    private let now: () -> ContinuousClock.Instant
    private var lastCommit: ContinuousClock.Instant
    /// Bytes of closed GOPs and of the open one that are not in the file yet.
    private var buffer: [UInt8] = []
    /// Where `buffer` begins in the file.
    private var offset: Int64
    /// Closed GOPs that wait for a commit.
    private var closed: [GOPRecord] = []
    private var open: OpenGOP?
    package private(set) var committed: [GOPRecord]

    private struct OpenGOP {
        var start: Int
        var frameCount: UInt32 = 0
        var firstPTS = Int64.max
        var endPTS = Int64.min
        var parameterSets: UInt32

        mutating func add(_ pts: Int64, duration: Int64) {
            frameCount += 1
            (firstPTS, endPTS) = (min(firstPTS, pts), max(endPTS, pts + duration))
        }
    }

    /// - Parameters:
    ///   - shard: what was committed before; new GOPs follow it.
    ///   - isDurable: false for a journal that need not survive a crash: nothing is flushed.
    ///   - now: the time, on a clock that never goes back.
    package init(
        _ journal: JournalDirectory, after shard: JournalShard, isDurable: Bool = true,
        now: @escaping () -> ContinuousClock.Instant = { .now }
    ) throws(JournalError) {
        name = journal.file(shard.name)
        self.isDurable = isDurable
        self.now = now
        lastCommit = now()
        committed = shard.gops
        offset = shard.byteCount
        gops = try Self.open(journal.file("\(shard.name).gops"), at: shard.byteCount)
        index = try Self.open(
            journal.file("\(shard.name).index"), at: Int64(shard.gops.count * GOPRecord.byteCount))
    }

    private static func open(_ path: String, at end: Int64) throws(JournalError) -> FileDescriptor {
        try reportingErrors(of: path) { () throws(SystemError) in
            let file = try FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW)
            try file.truncate(to: end)
            try file.seek(to: end)
            return file
        }
    }

    /// Bytes written so far, committed or not.
    package var byteCount: Int64 { offset + Int64(buffer.count) }

    /// Takes the next frame, in decoding order. A key frame begins a GOP.
    ///
    /// - Parameter parameterSets: those that the frame is coded with, as extradata.
    package func append(_ packet: JournalPacket, parameterSets: [UInt8]) throws(JournalError) {
        if packet.isKeyFrame || open == nil {
            try closeGOP()
            begin(parameterSets)
        }
        packet.append(to: &buffer)
        if let pts = packet.pts { open?.add(pts, duration: packet.duration) }
    }

    private func begin(_ parameterSets: [UInt8]) {
        open = OpenGOP(start: buffer.count, parameterSets: CRC32C(parameterSets.span.bytes).value)
        var sets = JournalPacket(payload: parameterSets)
        sets.flags = JournalPacket.parameterSetsFlag
        sets.append(to: &buffer)
    }

    private func closeGOP() throws(JournalError) {
        guard let gop = open else { return }
        open = nil
        let number = committed.count + closed.count
        closed.append(
            GOPRecord(
                number: UInt32(clamping: number), offset: offset + Int64(gop.start),
                byteCount: Int64(buffer.count - gop.start), frameCount: gop.frameCount, firstPTS: gop.firstPTS,
                endPTS: gop.endPTS, parameterSets: gop.parameterSets,
                checksum: CRC32C(buffer.span.extracting(gop.start..<buffer.count).bytes).value))
        if (now() - lastCommit) / .seconds(1) >= Self.interval { try commit() }
    }

    /// The last frame has come.
    package func finish() throws(JournalError) {
        try closeGOP()
        try commit()
    }

    /// Closed GOPs reach the disk.
    private func commit() throws(JournalError) {
        guard !closed.isEmpty else { return }
        do throws(SystemError) {
            try gops.writeAll(buffer)
            if isDurable { try gops.synchronizeContent() }
            try index.writeAll(closed.flatMap { $0.bytes })
            if isDurable { try index.synchronizeContent() }
        } catch { throw .system(path: name, error) }
        offset += Int64(buffer.count)
        buffer.removeAll(keepingCapacity: true)
        committed += closed
        closed = []
        lastCommit = now()
    }
}

extension JournalPacket {
    /// The first packet of each GOP: the parameter sets that it was coded with.
    package static let parameterSetsFlag: UInt16 = 1 << 15
    package var isParameterSets: Bool { flags & Self.parameterSetsFlag != 0 }
}

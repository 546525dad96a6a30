import Glibc
import Testing
import VTXSystem
import VTXTestMedia

@testable import VTXJournal

@Suite("A journal")
struct JournalTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file(".out.mp4.vtx-journal") }

    init() throws { directory = try TemporaryDirectory() }

    /// Frame `number` of a stream with a key frame every four frames.
    static func frame(_ number: Int) -> JournalPacket {
        var packet = JournalPacket(payload: (0..<50 + number).map { UInt8(truncatingIfNeeded: $0 * number) })
        (packet.pts, packet.dts, packet.duration) = (Int64(number) * 10, Int64(number) * 10 - 20, 10)
        packet.flags = number % 4 == 0 ? 1 : 0
        packet.signature = Array(repeating: UInt8(number), count: number % 3)
        return packet
    }

    /// A writer whose clock advances by a second per frame, so that each closed GOP is synchronized.
    private func writer(_ journal: JournalDirectory, after shard: JournalShard) -> JournalWriter {
        let times = Locked(ContinuousClock.now)
        let now = {
            times.withLock { time in
                time = time.advanced(by: .seconds(1))
                return time
            }
        }
        return JournalWriter(after: shard, now: now) { () throws(JournalError) in journal }
    }

    private func write(_ frames: Range<Int>, to journal: JournalDirectory, finishes: Bool = true) throws {
        let writer = writer(journal, after: try JournalShard(reading: "video-0", of: journal))
        for number in frames { try writer.append(Self.frame(number), parameterSets: [1, 2, 3]) }
        if finishes { try writer.closeGOP() }
    }

    /// A process that another test starts briefly inherits all descriptors, such as the lock of a closed journal.
    private func openJournal() throws -> JournalDirectory {
        try JournalDirectory.open(path, timeout: LockTimeout(seconds: 3600))
    }

    private func frames(of journal: JournalDirectory) throws -> [JournalPacket] {
        let shard = try JournalShard(reading: "video-0", of: journal)
        return try shard.gops.flatMap { try shard.read($0, of: journal).frames }
    }

    @Test("returns the written GOPs")
    func roundTrip() throws {
        let journal = try openJournal()
        try write(0..<10, to: journal)
        let shard = try JournalShard(reading: "video-0", of: journal)
        #expect(shard.gops.map(\.frameCount) == [4, 4, 2])
        #expect(shard.gops.map(\.firstPTS) == [0, 40, 80] && shard.lastPTS == 90)
        #expect(try frames(of: journal) == (0..<10).map(Self.frame))
        #expect(try shard.read(shard.gops[1], of: journal).parameterSets == [1, 2, 3])
    }

    @Test("an open GOP is not kept, and the next run resumes after the last closed one")
    func openGOP() throws {
        do {
            let journal = try openJournal()
            try write(0..<10, to: journal, finishes: false)
        }
        let journal = try openJournal()
        #expect(try JournalShard(reading: "video-0", of: journal).frameCount == 8)
        try write(8..<12, to: journal)
        #expect(try frames(of: journal) == (0..<12).map(Self.frame))
    }

    @Test("renditions end where all of them have a complete GOP, also if one has more GOPs in the same frames")
    func commonEnd() throws {
        let journal = try openJournal()
        let ends: [[Int]] = [[4, 8, 12, 16], [4, 8, 12], [2, 4, 8, 10, 16]]
        var shards = try ends.enumerated().map { number, ends in
            let writer = JournalWriter(after: JournalShard(name: "video-\(number)")) {
                () throws(JournalError) in journal
            }
            for frame in 0..<16 {
                var packet = Self.frame(frame)
                packet.flags = frame == 0 || ends.contains(frame) ? 1 : 0
                try writer.append(packet, parameterSets: [])
            }
            if ends.last == 16 { try writer.closeGOP() }
            #expect(try JournalShard(reading: "video-\(number)", of: journal) == writer.shard)
            return writer.shard
        }
        #expect(shards.map(\.frameCount) == [16, 12, 16])
        shards.cutToCommonEnd()
        #expect(shards.map(\.frameCount) == [8, 8, 8] && shards.map(\.gops.count) == [2, 2, 3])
        shards.append(JournalShard(name: "video-3"))
        shards.cutToCommonEnd()
        #expect(shards.map(\.frameCount) == [0, 0, 0, 0])
    }

    @Test("truncated at any byte of either file, it has only complete GOPs, in order", arguments: ["gops", "index"])
    func torn(suffix: String) throws {
        let journal = try openJournal()
        try write(0..<12, to: journal)
        let file = journal.file("video-0.\(suffix)")
        let byteCount = try #require(FileStatus(file)?.byteCount)
        for length in (0..<byteCount).reversed() {
            truncate(file, off_t(length))
            let found = try frames(of: journal)
            #expect(found.count % 4 == 0 && found == (0..<found.count).map(Self.frame))
        }
    }

    @Test(
        "a flipped bit loses its GOP and the following ones, and never gives a wrong frame",
        arguments: ["gops", "index"])
    func flipped(suffix: String) throws {
        let journal = try openJournal()
        try write(0..<12, to: journal)
        let file = journal.file("video-0.\(suffix)")
        let whole = try Files.read(file)
        for byte in stride(from: 0, to: whole.count, by: 5) {
            var bytes = whole
            bytes[byte] ^= 0x10
            try Files.write(bytes, to: file)
            let found = try frames(of: journal)
            #expect(found.count < 12 && found == (0..<found.count).map(Self.frame))
        }
    }

    @Test("a record whose data were lost in a power failure is ignored", arguments: [0, 0xa5] as [UInt8])
    func lostData(garbage: UInt8) throws {
        let journal = try openJournal()
        try write(0..<12, to: journal)
        let file = journal.file("video-0.gops")
        let whole = try Files.read(file)
        for length in stride(from: 0, to: whole.count, by: 7) {
            let lost = [UInt8](repeating: garbage, count: whole.count - length)
            try Files.write(whole.prefix(length) + lost, to: file)
            let found = try frames(of: journal)
            #expect(found.count < 12 && found == (0..<found.count).map(Self.frame))
        }
    }

    @Test("a GOP is available once complete, without waiting for the disk, and not before")
    func atOnce() throws {
        let (path, now) = (path, ContinuousClock.now)
        let writer = JournalWriter(after: JournalShard(name: "video-0"), now: { now }) {
            () throws(JournalError) in try JournalDirectory.open(path)
        }
        for number in 0..<4 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(directory.names.isEmpty)
        for number in 4..<9 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(try found(at: path) == 8 && !writer.isSynchronized)
        try writer.closeGOP()
        #expect(try found(at: path) == 9 && !writer.isSynchronized)
    }

    /// The number of frames that another process would find after this one, which holds the lock, ends.
    private func found(at path: String) throws -> Int {
        let copy = directory.file("copy")
        Directory.removeTree(copy)
        let journal = try JournalDirectory.open(copy)
        for name in ["video-0.gops", "video-0.index"] {
            try Files.write(try Files.read("\(path)/\(name)"), to: journal.file(name))
        }
        return try frames(of: journal).count
    }

    @Test("it is synchronized once a second")
    func synchronized() throws {
        let (path, times) = (path, Locked(ContinuousClock.now))
        let writer = JournalWriter(after: JournalShard(name: "video-0"), now: { times.withLock { $0 } }) {
            () throws(JournalError) in try JournalDirectory.open(path)
        }
        for number in 0..<9 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(!writer.isSynchronized)
        times.withLock { $0 += .seconds(2) }
        for number in 9..<13 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(writer.isSynchronized)
    }

    @Test("cut before a frame's GOP, it continues from there", arguments: [0, 3, 4, 9, 10])
    func cut(frame: Int) throws {
        let journal = try openJournal()
        try write(0..<10, to: journal)
        var shard = try JournalShard(reading: "video-0", of: journal)
        let first = shard.cut(before: frame)
        #expect(first?.number == (frame < 10 ? UInt32(frame / 4) : nil))
        try shard.truncate(in: journal)
        let left = min(10, frame / 4 * 4 + (frame == 10 ? 2 : 0))
        #expect(try frames(of: journal) == (0..<left).map(Self.frame))
        try write(left..<12, to: journal)
        #expect(try frames(of: journal).count == 12)
    }

    @Test("while the disk is slow, frames are committed without waiting for it")
    func slowDisk() throws {
        let journal = try openJournal()
        let waiting = Locked<[@Sendable () -> Void]>([])
        let times = Locked(ContinuousClock.now)
        let now = { times.withLock { $0 } }
        let writer = JournalWriter(
            after: JournalShard(name: "video-0"), now: now, executor: { work in waiting.withLock { $0.append(work) } }
        ) { () throws(JournalError) in journal }
        for number in 0..<21 {
            times.withLock { $0 += .seconds(1) }
            try writer.append(Self.frame(number), parameterSets: [])
        }
        #expect(waiting.withLock(\.count) == 1)
        #expect(try JournalShard(reading: "video-0", of: journal).frameCount == 20)
        waiting.withLock { work in
            work.removeFirst()()
            #expect(work.isEmpty)
        }
        for number in 21..<25 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(waiting.withLock(\.count) == 1, "what was committed meanwhile is the next")
        waiting.withLock { $0[0]() }
    }

    @Test("a disk error is reported with the next GOP")
    func brokenDisk() throws {
        let journal = try openJournal()
        let times = Locked(ContinuousClock.now)
        let writer = JournalWriter(
            after: JournalShard(name: "video-0"), now: { times.withLock { $0 } }, executor: { work in work() }
        ) { () throws(JournalError) in journal }
        for number in 0..<8 { try writer.append(Self.frame(number), parameterSets: []) }
        times.withLock { $0 += .seconds(2) }
        // Its name can no longer be synchronized.
        journal.remove()
        for number in 8..<12 { try writer.append(Self.frame(number), parameterSets: []) }
        #expect(throws: JournalError.self) { try writer.closeGOP() }
    }

    @Test("one process uses it at a time, and waits for one that is ending")
    func busy() throws {
        let journal = Locked<JournalDirectory?>(try JournalDirectory.open(path))
        #expect(throws: JournalError.busy(path: path)) { try JournalDirectory.open(path) }
        let timeout = LockTimeout(seconds: 3600) {
            journal.withLock { journal in
                journal?.remove()
                journal = nil
            }
        }
        try JournalDirectory.open(path, timeout: timeout).remove()
        #expect(directory.names.isEmpty)
    }

    @Test("the request is restored, and damage to it is reported")
    func header() throws {
        let source = directory.file("in.mp4")
        try Files.write([UInt8](repeating: 7, count: 3_000_000), to: source)
        let journal = try openJournal()
        let header = JournalHeader(
            task: ["codec": "hevc"], source: try SourceIdentity(of: source), versions: ["vtx": "1"])
        try header.write(to: journal)
        #expect(try JournalHeader<[String: String]>.read(from: journal) == header)
        try Files.write("{\"formatVersion\":", to: journal.file("header.json"))
        #expect(throws: JournalError.self) { try JournalHeader<[String: String]>.read(from: journal) }
    }

    @Test("a source with another beginning, end or size is a different one")
    func identity() throws {
        let source = directory.file("in.mp4")
        var bytes = [UInt8](repeating: 7, count: 3_000_000)
        try Files.write(bytes, to: source)
        let digests = try [0, 2_999_999].map { changed in
            bytes[changed] ^= 1
            try Files.write(bytes, to: source)
            return try SourceIdentity(of: source).digest
        }
        #expect(Set(digests).count == 2)
    }

    @Test("one without a commit for a day is ignored")
    func forgotten() throws {
        let journal = try openJournal()
        try write(0..<10, to: journal)
        #expect(!JournalDirectory.isForgotten(path) && !JournalDirectory.isForgotten(directory.file("none")))
        try touch(journal.file("video-0.index"), hoursAgo: 23)
        #expect(!JournalDirectory.isForgotten(path))
        try touch(journal.file("video-0.index"), hoursAgo: 25)
        #expect(JournalDirectory.isForgotten(path))
    }

    private func touch(_ path: String, hoursAgo hours: Int) throws {
        let time = timespec(tv_sec: Glibc.time(nil) - hours * 3600, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    }

    @Test("has the devices of all runs, each once, and none if their file is damaged")
    func devices() throws {
        let journal = try openJournal()
        #expect(JournalDevices.read(from: journal) == JournalDevices())
        let first = JournalDevices(["encode": ["gpu"], "decode": ["gpu"]])
        let all = first.followed(by: JournalDevices(["encode": ["gpu", "software"], "filter": ["software"]]))
        #expect(all.stages == ["encode": ["gpu", "software"], "decode": ["gpu"], "filter": ["software"]])
        all.write(to: journal)
        #expect(JournalDevices.read(from: journal) == all)
        try Files.write("{", to: journal.file("devices.json"))
        #expect(JournalDevices.read(from: journal) == JournalDevices())
    }
}

import Glibc

/// How much memory the process had, over time.
struct MemoryRecord {
    let frameCount: Int
    /// In the first half and in the second, in kB; the first tenth is for warming up.
    private var (earlyNotes, lateNotes): ([Int], [Int]) = ([], [])
    /// What allocators may yet take: far less than one picture in a hundred would be.
    private static let slack = 4096

    init(frameCount: Int) { self.frameCount = frameCount }

    /// Usually, in the first half: queues that are full for a moment, on a busy machine, do not count.
    var early: Int { Self.median(earlyNotes) }
    var late: Int { Self.median(lateNotes) }

    private static func median(_ notes: [Int]) -> Int { notes.isEmpty ? 0 : notes.sorted()[notes.count / 2] }

    var isFlat: Bool { late <= early + Self.slack }

    mutating func note(at frame: Int) throws {
        let resident = try Self.resident()
        print("\(frame) frames, \(resident) kB")
        fflush(nil)
        if frame * 10 < frameCount { return }
        if frame * 2 <= frameCount { earlyNotes.append(resident) } else { lateNotes.append(resident) }
    }

    /// What all threads of the process have in memory, in kB.
    private static func resident() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw SoakFailure("there is no /proc") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 200)
        fgets(&line, Int32(line.count), file)
        let words = line.prefix { $0 != 0 }.map { Character(UnicodeScalar(UInt8(bitPattern: $0))) }.split(
            separator: " ")
        guard words.count > 1, let pages = Int(String(words[1])) else { throw SoakFailure("/proc/self/statm is odd") }
        return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
    }
}

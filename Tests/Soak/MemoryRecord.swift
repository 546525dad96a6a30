import Glibc

/// How much memory the process had, over time.
struct MemoryRecord {
    let frameCount: Int
    /// The most in the first half and in the second, in kB; the first tenth is for warming up.
    private(set) var (early, late) = (0, 0)
    /// What full queues may yet take, and give back: the software driver's encoders take 8 MB at a time. In an hour of
    /// frames, less than one picture in a thousand would be more.
    private static let slack = 24_576

    init(frameCount: Int) { self.frameCount = frameCount }

    var isFlat: Bool { late <= early + Self.slack }

    mutating func note(at frame: Int) throws {
        let resident = try Self.resident()
        print("\(frame) frames, \(resident) kB")
        fflush(nil)
        if frame * 10 < frameCount { return }
        if frame * 2 <= frameCount { early = max(early, resident) } else { late = max(late, resident) }
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

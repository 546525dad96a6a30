import Glibc

/// The process's memory over time.
struct MemoryRecord {
    let frameCount: Int
    /// The maximum of the first and the second half in kB; the first tenth is warm-up.
    private(set) var (early, late) = (0, 0)
    /// The allowance for full queues: the software driver's encoders use 8 MB at a time. In an hour of frames, leaking
    /// one frame in a thousand exceeds it.
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

    /// The process's resident memory in kB.
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

import Glibc
import VTXJobs
import VTXStore
import VTXSystem

/// A directory with a database in it, removed at the end.
final class Place {
    let directory: String
    var path: String { "\(directory)/vtx.db" }

    init() throws { directory = try Directory.makeTemporary("vtx-store") }
    deinit { Directory.removeTree(directory) }

    func store() throws -> SQLiteStore { try SQLiteStore(path: path) }

    func bytes(_ name: String) throws -> [UInt8] {
        try FileDescriptor(opening: "\(directory)/\(name)").readAll(limit: 100_000_000)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try FileDescriptor(opening: "\(directory)/\(name)", O_WRONLY | O_CREAT | O_TRUNC).writeAll(bytes.span.bytes)
    }
}

func job(_ number: Int, priority: Int = 0, labels: [String: String] = [:], url: String? = nil) -> Job {
    let digits = String(number)
    let id = JobID(String(repeating: "0", count: JobID.length - digits.count) + digits)!
    return Job(
        id: id,
        JobSpecification(
            input: url.map { .init(url: $0) } ?? .init(path: "/in/\(number).mp4"), priority: priority, labels: labels),
        at: Timestamp(seconds: Double(number)))
}

func event(_ type: String, _ job: Job? = nil) -> LoggedEvent {
    LoggedEvent(type, of: job?.id, at: Timestamp(seconds: 1), body: "{}")
}

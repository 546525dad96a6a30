import Glibc
import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("A server after one that was killed")
struct RestartTests {
    private let directory: TestDirectory
    private let source: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        _ = directory.makeDirectory("state")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    /// A killed server's store, with a job in this state.
    private func leave(
        _ events: [JobEvent], to output: String? = "media/out.mp4", _ settings: [String: JSONValue] = [:]
    ) throws -> Job {
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        var generator = SystemRandomNumberGenerator()
        let specification = JobSpecification(
            input: .init(path: source), output: output.map { .init(path: directory.file($0)) }, settings: settings)
        var job = Job(id: JobID(using: &generator), specification, at: .now)
        _ = try store.add(job, key: nil, [])
        for event in events { _ = try job.handle(event, at: .now) }
        _ = try store.save([job], [])
        store.close()
        return job
    }

    private func jobFiles(_ store: SQLiteStore) throws -> JobFiles {
        JobFiles(
            try Roots([directory.file("media")]), Uploads(directory.path, store, limit: 1),
            state: directory.file("state"))
    }

    private static let begun: [JobEvent] = [
        .plan(worker: "other/1"),
        .planned(Workload(stages: [.encode: .init("h264", megapixels: 1)], frameRate: 25, outputName: "out.mp4")),
        .start(worker: "other/1", [.encode: .cpu]),
    ]

    private static let damaged = Failure(.source, "input.damaged", "the video is damaged")
    private static let result = JobResult(
        output: "out.mp4", outputBytes: 5, sourceBytes: 4, frames: 1, duration: 1, seconds: 1)

    private func stagingName(_ job: Job) -> String { "media/.out.\(job.id).vtx.mp4" }

    @Test("continues a job that was planned or running; only the latter was interrupted", arguments: [1, 3])
    func interrupted(count: Int) throws {
        let job = try leave(Array(Self.begun.prefix(count)))
        let service = try TestService(directory)
        let ended = try service.ended(job.id.text)
        #expect(ended["state"]?.string == "succeeded")
        let outcomes = ended["attempts"]?.array?.compactMap { $0["outcome"]?.string }
        #expect(outcomes == (count == 1 ? ["succeeded"] : ["interrupted", "succeeded"]))
        #expect(directory.text("media/out.mp4") == "done: clip")
    }

    @Test("uses the output that a worker has finished meanwhile")
    func finishedMeanwhile() throws {
        let job = try leave(Self.begun)
        try directory.write("from the first worker", to: stagingName(job))
        let service = try TestService(directory)
        #expect(try service.ended(job.id.text)["state"]?.string == "succeeded")
        #expect(directory.text("media/out.mp4") == "from the first worker")
        #expect(service.runner.runs.withLock(\.self).isEmpty)
    }

    @Test(
        "removes leftovers of an ended job, except the records of a failed one",
        arguments: [
            ([.cancel, .stopped], []), ([.failed(damaged)], ["records.1"]), ([.finished(result)], []),
        ] as [([JobEvent], [String])])
    func endedBefore(end: [JobEvent], kept: [String]) throws {
        let job = try leave(Self.begun + end)
        _ = directory.makeDirectory("state/work")
        _ = directory.makeDirectory("state/work/\(job.id)")
        try directory.write("progress", to: "state/work/\(job.id)/records.1")
        try directory.write("half", to: stagingName(job))
        try TestService(directory).stop()
        #expect(Directory.names(in: directory.file("state/work/\(job.id)")) == kept)
    }

    /// A directory written by a worker.
    private func writePlaylist(_ text: String, to name: String) throws {
        _ = directory.makeDirectory(name)
        try directory.write(text, to: "\(name)/master.m3u8")
    }

    @Test(
        "uses a ladder that a worker has finished meanwhile, and detects whether it has replaced another",
        arguments: [("staged", "out"), ("replaced", "out"), ("out", "replaced"), ("staged", "replaced")])
    func ladders(new: String, old: String) throws {
        try writePlaylist("new", to: "media/staged")
        try writePlaylist("old", to: "media/old")
        let identity = try #require(FileIdentity(directory.file("media/staged")))
        let result = JobResult(
            output: directory.file("media/out"), outputBytes: 3, sourceBytes: 4, frames: 1, duration: 1, seconds: 1,
            files: [.init(name: "master.m3u8", bytes: 3)])
        let job = try leave(
            Self.begun + [.committing(result, identity)], to: "media/out", ["hls": true, "overwrite": "replace"])
        let media = try OpenDirectory(directory.file("media"))
        // The server was killed before, during or after the exchange of names.
        let names = ["staged": ".out.\(job.id).vtx", "replaced": ".\(job.id).vtx-replaced", "out": "out"]
        try media.move("staged", to: names[new] ?? "")
        try media.move("old", to: names[old] ?? "")
        let service = try TestService(directory)
        #expect(try service.ended(job.id.text)["state"]?.string == "succeeded")
        #expect(directory.text("media/out/master.m3u8") == "new")
        #expect(service.runner.runs.withLock(\.self).isEmpty)
        #expect(Directory.names(in: directory.file("media")).sorted() == ["in.mp4", "out"])
    }

    @Test("removes a cancelled ladder's leftovers")
    func cancelled() throws {
        let job = try leave(Self.begun, to: "media/out", ["hls": true])
        for name in [".out.\(job.id).vtx", "..out.\(job.id).vtx.vtx-partial"] {
            try writePlaylist("half", to: "media/\(name)")
        }
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        let files = try jobFiles(store)
        files.discard(job)
        #expect(Directory.names(in: directory.file("media")) == ["in.mp4"])
    }

    @Test("removes the leftovers of a job that is cancelled before it is planned again")
    func forgotten() throws {
        let full = Failure(.output, "output.noSpace", "no space")
        let job = try leave(Self.begun + [.failed(full), .retry, .cancel], to: nil)
        #expect(job.workload == nil)
        _ = directory.makeDirectory("media/..in.h264.\(job.id).vtx.mp4.vtx-journal")
        try writePlaylist("half", to: "media/..in.h264.\(job.id).vtx.mp4.vtx-journal/gops")
        try directory.write("half", to: "media/.in.h264.\(job.id).vtx.mp4")
        try writePlaylist("whole", to: "other")
        symlink(directory.file("other"), directory.file("media/.out.\(job.id).vtx"))
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        let files = try jobFiles(store)
        files.discard(job)
        #expect(Directory.names(in: directory.file("media")) == ["in.mp4"])
        #expect(directory.text("other/master.m3u8") == "whole")
    }

    @Test("removes the leftovers of a job that could not write its output with the job")
    func old() throws {
        let full = Failure(.output, "output.noSpace", "no space")
        let job = try leave([.unplaceable(full)], to: "media/out", ["hls": true])
        try writePlaylist("whole", to: "media/.out.\(job.id).vtx")
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        let files = try jobFiles(store)
        Service.removeOld(store, files, nil, before: .now + 1)
        #expect(Directory.names(in: directory.file("media")) == ["in.mp4"])
        #expect(try store.job(job.id) == nil)
    }

    @Test("removes files of jobs that are no longer in the store")
    func orphans() throws {
        let job = try leave(Self.begun)
        let gone = ["outputs", "thumbnails", "work"].map { "state/\($0)/00000000000000000000" }
        for path in gone { try Directory.make(directory.file(path)) }
        try Directory.make(directory.file("state/outputs/\(job.id)"))
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        let files = try jobFiles(store)
        Service.removeOrphans(store, files)
        #expect(gone.allSatisfy { FileStatus(directory.file($0)) == nil })
        #expect(FileStatus(directory.file("state/outputs/\(job.id)")) != nil)
    }

    @Test("detects whether an output was renamed before the kill", arguments: [false, true])
    func committing(isRenamed: Bool) throws {
        try directory.write("whole", to: "media/staged")
        let identity = try #require(FileIdentity(directory.file("media/staged")))
        let result = JobResult(
            output: directory.file("media/out.mp4"), outputBytes: 5, sourceBytes: 4, frames: 1, duration: 1, seconds: 1)
        let job = try leave(Self.begun + [.committing(result, identity)])
        let name = isRenamed ? "out.mp4" : ".out.\(job.id).vtx.mp4"
        try OpenDirectory(directory.file("media")).rename("staged", to: name, replaces: true)
        let service = try TestService(directory)
        #expect(try service.ended(job.id.text)["state"]?.string == "succeeded")
        #expect(directory.text("media/out.mp4") == "whole")
        #expect(service.runner.runs.withLock(\.self).isEmpty)
        #expect(Directory.names(in: directory.file("media")).sorted() == ["in.mp4", "out.mp4"])
    }
}

import Glibc
import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("A replacement of a source by a server that was killed")
struct ReplacementRestartTests {
    private let directory: TestDirectory
    private let source: String

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private func start(allows: Bool = true) throws -> TestService {
        try TestService(directory) { $0.mayReplaceSources = allows }
    }

    private var names: [String] { Directory.names(in: directory.file("media")).sorted() }

    /// A killed server's store, with a job in this state.
    private func leave(_ events: [JobEvent], of input: String? = nil) throws -> Job {
        _ = directory.makeDirectory("state")
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        var generator = SystemRandomNumberGenerator()
        let specification = JobSpecification(input: .init(path: input ?? source), settings: ["replace": true])
        var job = Job(id: JobID(using: &generator), specification, at: .now)
        _ = try store.add(job, key: nil, [])
        for event in events { _ = try job.handle(event, at: .now) }
        _ = try store.save([job], [])
        store.close()
        return job
    }

    private func begun(_ name: String) throws -> [JobEvent] {
        var workload = Workload(stages: [.encode: .init("h264", megapixels: 1)], frameRate: 25, outputName: name)
        let path = try #require(FileName.resolved(source))
        workload.replacedSource = .init(path: path, state: try SourceState(of: source))
        return [.plan(worker: "other/1"), .planned(workload), .start(worker: "other/1", [.encode: .cpu])]
    }

    private func committing(_ name: String) throws -> Job {
        try directory.write("whole", to: "media/staged")
        let identity = try #require(FileIdentity(directory.file("media/staged")))
        var result = JobResult(
            output: directory.file("media/\(name)"), outputBytes: 5, sourceBytes: 4, frames: 1, duration: 1, seconds: 1)
        result.replacedSource = source
        return try leave(try begun(name) + [.committing(result, identity)])
    }

    private func stagingName(_ job: Job, _ suffix: String = "mp4") -> String { ".in.\(job.id).vtx.\(suffix)" }

    @Test("is completed if the server was killed at any point of it", arguments: ["in.mp4", "in.mkv"], [false, true])
    func killed(name: String, isRenamed: Bool) throws {
        let job = try committing(name)
        let media = try OpenDirectory(directory.file("media"))
        let suffix = FileName.split(name).pathExtension
        try media.rename("staged", to: isRenamed ? name : stagingName(job, suffix), replaces: true)
        let service = try start()
        let ended = try service.ended(job.id.text)
        #expect(ended["state"] == "succeeded" && ended["result"]?["replacedSource"]?.string == source)
        #expect(directory.text("media/\(name)") == "whole" && names == [name])
        #expect(service.runner.runs.withLock(\.self).isEmpty)
    }

    @Test("is not completed if the source has changed while there was no server")
    func changedMeanwhile() throws {
        let job = try committing("in.mp4")
        try OpenDirectory(directory.file("media")).rename("staged", to: stagingName(job), replaces: true)
        try directory.write("longer clip", to: "media/in.mp4")
        #expect(try start().ended(job.id.text)["error"]?["code"] == "input.changed")
        #expect(directory.text("media/in.mp4") == "longer clip" && names == ["in.mp4"])
    }

    @Test("leaves alone what has been put in the source's place after the output got another name")
    func otherSource() throws {
        let job = try committing("in.mkv")
        try OpenDirectory(directory.file("media")).rename("staged", to: "in.mkv", replaces: false)
        try directory.write("another clip", to: "media/in.mp4")
        #expect(try start().ended(job.id.text)["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "another clip" && names == ["in.mkv", "in.mp4"])
    }

    @Test("transcodes again if the records of a finished worker are lost, which say whether its source was whole")
    func unknownOutcome() throws {
        let job = try leave(try begun("in.mp4"))
        try directory.write("from the first worker", to: "media/\(stagingName(job))")
        #expect(try start().ended(job.id.text)["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "done: clip" && names == ["in.mp4"])
    }

    @Test("does not follow a link that leads to another file by now")
    func otherLink() throws {
        let link = directory.file("media/link.mp4")
        try #require(symlink("in.mp4", link) == 0)
        let job = try leave(try begun("in.mp4"), of: link)
        try directory.write("other", to: "media/other.mp4")
        unlink(link)
        try #require(symlink("other.mp4", link) == 0)
        #expect(try start().ended(job.id.text)["error"]?["code"] == "input.changed")
        #expect(directory.text("media/in.mp4") == "clip" && directory.text("media/other.mp4") == "other")
    }

    @Test("does not remove the source if the server that continues the job may not, and says so")
    func permissionToRemove() throws {
        let job = try committing("in.mkv")
        try OpenDirectory(directory.file("media")).rename("staged", to: "in.mkv", replaces: false)
        let ended = try start(allows: false).ended(job.id.text)
        #expect(ended["state"] == "succeeded" && ended["result"]?["replacedSource"] == nil)
        #expect(directory.text("media/in.mp4") == "clip" && directory.text("media/in.mkv") == "whole")
    }

    @Test("a user's retry ends the worker of the earlier attempt, and does not take its output")
    func retried() throws {
        let job = try leave(try begun("in.mp4") + [.failed(Failure(.source, "input.changed", "it has changed"))])
        try directory.write("of another source", to: "media/\(stagingName(job))")
        let service = try start()
        service.runner.left.withLock {
            $0 = FinishedWork(frames: 1, duration: 1, seconds: 1, notices: 0, outcome: .completed)
        }
        #expect(try service.ask("POST", "/v1/jobs/\(job.id)/retry").status == 200)
        #expect(try service.ended(job.id.text)["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "done: clip" && names == ["in.mp4"])
        #expect(service.runner.ends.withLock(\.self) == 1)
    }

    @Test("needs the permission of the server that continues the job")
    func permission() throws {
        let job = try committing("in.mp4")
        try OpenDirectory(directory.file("media")).rename("staged", to: stagingName(job), replaces: true)
        #expect(try start(allows: false).ended(job.id.text)["error"]?["code"] == "replace.notAllowed")
        #expect(directory.text("media/in.mp4") == "clip")
    }
}

import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

@Suite("What a watch folder skips")
struct SkipRuleTests {
    private let directory: TestDirectory
    private let source: String
    /// Every output of these tests is larger than its source.
    private static let rule = SkipRule(codecs: [], minimumGain: 0.1)

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        source = try directory.write("clip", to: "media/in.mp4")
    }

    private func start() throws -> TestService { try TestService(directory) { $0.mayReplaceSources = true } }

    /// Leaves a queued job of a watch folder that is not there, unless it is given.
    private func leave(_ rule: SkipRule?, in folder: WatchFolder? = nil, replaces: Bool = true) throws -> String {
        _ = directory.makeDirectory("state")
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        defer { store.close() }
        var generator = SystemRandomNumberGenerator()
        let settings: [String: JSONValue] = replaces ? ["replace": true] : [:]
        let job = Job(
            id: JobID(using: &generator), JobSpecification(input: .init(path: source), settings: settings), at: .now,
            watchFolder: "all", skipRule: rule)
        _ = try store.add(job, key: nil, [])
        if let folder { try store.put(try JSONValue(encoding: folder), RecordCollections.watchFolders, "all") }
        return job.id.text
    }

    private static let reason = "the output is larger by 150 %; the rule requires 10 % smaller"

    @Test("is in its jobs, and stays when the folder is gone")
    func kept() throws {
        let id = try leave(Self.rule)
        let job = try start().ended(id)
        #expect(job["state"] == "skipped" && job["reason"]?.string == Self.reason)
        #expect(directory.text("media/in.mp4") == "clip")
    }

    @Test("stays as it was when a job was submitted, if the folder is changed")
    func changed() throws {
        let id = try leave(Self.rule, in: WatchFolder(path: "/x", skip: SkipRule(codecs: [])))
        #expect(try start().ended(id)["reason"]?.string == Self.reason)
    }

    @Test("is the folder's, for a job that an earlier version stored")
    func earlier() throws {
        let id = try leave(nil, in: WatchFolder(path: directory.file("none"), skip: Self.rule))
        #expect(try start().ended(id)["reason"]?.string == Self.reason)
        #expect(directory.text("media/in.mp4") == "clip")
    }

    @Test("is unknown for such a job without its folder: its source is replaced only when a user retries it")
    func unknown() throws {
        let id = try leave(nil)
        let service = try start()
        let job = try service.ended(id)
        #expect(job["reason"] == "the watch folder 'all' was removed, and what it skips is unknown")
        #expect(directory.text("media/in.mp4") == "clip" && service.runner.runs.withLock(\.self).isEmpty)
        #expect(try service.ask("POST", "/v1/jobs/\(id)/retry").status == 200)
        #expect(try service.endedJobs(2).first?["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "done: clip")
    }

    @Test("does not keep such a job from writing another file")
    func unknownButHarmless() throws {
        let id = try leave(nil, replaces: false)
        #expect(try start().ended(id)["state"] == "succeeded")
        #expect(directory.text("media/in.mp4") == "clip" && directory.text("media/in.mp4.out") == "done: clip")
    }

    @Test("applies to a job whose folder is removed while it runs")
    func removed() throws {
        let service = try start()
        service.runner.afterwards.withLock {
            $0 = { [weak service] in _ = try? service?.send("DELETE", "/v1/watch-folders/all") }
        }
        let folder: JSONValue = [
            "path": .string(directory.file("media")), "settleSeconds": 0, "settings": ["replace": true],
            "skip": ["codecs": [], "minimumGain": 0.1],
        ]
        #expect(try service.ask("PUT", "/v1/watch-folders/all", folder).status == 200)
        #expect(try service.endedJobs(1).first?["reason"]?.string == Self.reason)
        #expect(try service.ask("GET", "/v1/watch-folders").body["watchFolders"] == [])
        #expect(directory.text("media/in.mp4") == "clip")
    }
}

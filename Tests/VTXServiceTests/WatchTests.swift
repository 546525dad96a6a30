import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Watch folders")
struct WatchTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        _ = directory.makeDirectory("media")
        _ = directory.makeDirectory("media/in")
    }

    /// Every file is a source once it is complete.
    private func watch(_ service: TestService, _ members: [String: JSONValue] = [:]) throws {
        let folder: [String: JSONValue] = [
            "path": .string(directory.file("media/in")), "settleSeconds": 0, "skip": ["codecs": []],
        ]
        let answer = try service.ask(
            "PUT", "/v1/watch-folders/inbox", .object(folder.merging(members) { _, given in given }))
        #expect(answer.status == 200)
        #expect(answer.body["name"] == "inbox")
    }

    private func names(_ path: String) -> [String] { Directory.names(in: directory.file(path)).sorted() }

    @Test("a moved or existing file becomes a job; an output does not")
    func taken() throws {
        try directory.write("one", to: "media/in/1.mp4")
        let service = try TestService(directory)
        try watch(
            service, ["settings": ["codec": "h264"], "labels": ["from": "inbox"], "priority": 3, "include": ["*"]])
        #expect(try service.endedJobs(1).map { $0["state"]?.string } == ["succeeded"])
        try directory.write("two", to: "media/2.part")
        try OpenDirectory(directory.file("media")).rename("2.part", to: "in/2.mp4", replaces: false)
        let jobs = try service.endedJobs(2)
        #expect(jobs.first?["watchFolder"] == "inbox")
        #expect(jobs.first?["labels"] == ["from": "inbox"])
        #expect(jobs.first?["priority"] == 3)
        #expect(names("media/in") == ["1.mp4", "1.mp4.out", "2.mp4", "2.mp4.out"])
        // The next source follows both outputs.
        try directory.write("three", to: "media/in/3.mp4")
        #expect(try service.endedJobs(3).count == 3)
    }

    @Test("nothing is done twice after a restart")
    func restart() throws {
        try directory.write("one", to: "media/in/1.mp4")
        do {
            let first = try TestService(directory)
            try watch(first, ["include": ["*"]])
            _ = try first.endedJobs(1)
        }
        try directory.write("two", to: "media/in/2.mp4")
        let second = try TestService(directory)
        let jobs = try second.endedJobs(2)
        #expect(Set(jobs.compactMap { $0["input"]?["path"]?.string }).count == 2)
        #expect(second.runner.sources.withLock(\.self) == ["two"])
    }

    @Test("a changed file is a new source")
    func changed() throws {
        let service = try TestService(directory)
        try watch(service, ["settings": ["overwrite": "replace"]])
        try directory.write("one", to: "media/in/1.mp4")
        _ = try service.endedJobs(1)
        try directory.write("another", to: "media/in/1.mp4")
        _ = try service.endedJobs(2)
        #expect(directory.text("media/in/1.mp4.out") == "done: another")
    }

    @Test("a changed source's output replaces only its earlier output")
    func earlier() throws {
        let service = try TestService(directory)
        try watch(service)
        try directory.write("one", to: "media/in/1.mp4")
        try directory.write("a stranger's", to: "media/in/2.mp4.out")
        try directory.write("two", to: "media/in/2.mp4")
        let first = try service.endedJobs(2)
        #expect(first.compactMap { $0["reason"]?.string } == ["'\(directory.file("media/in/2.mp4.out"))' exists"])
        try directory.write("another", to: "media/in/1.mp4")
        #expect(try service.endedJobs(3).first?["state"] == "succeeded")
        #expect(directory.text("media/in/1.mp4.out") == "done: another")
        #expect(directory.text("media/in/2.mp4.out") == "a stranger's")
        // Now the output is another file too.
        try directory.write("mine", to: "media/in/1.mp4.out")
        try directory.write("a third", to: "media/in/1.mp4")
        #expect(try service.endedJobs(4).first?["state"] == "skipped")
        #expect(directory.text("media/in/1.mp4.out") == "mine")
    }

    @Test("a source that already has the codec is transcoded if the picture changes")
    func resized() throws {
        let service = try TestService(directory)
        service.runner.keepsPictures.withLock { $0 = false }
        try watch(service, ["skip": [:], "settings": ["codec": "h264", "size": "160x90"]])
        try directory.write("one", to: "media/in/1.mp4")
        #expect(try service.endedJobs(1).first?["state"] == "succeeded")
    }

    @Test("a ladder's files are not sources, and a changed source replaces its ladder")
    func ladders() throws {
        let service = try TestService(directory)
        try watch(service, ["settings": ["hls": true], "recursive": true])
        try directory.write("one", to: "media/in/1.mp4")
        _ = try service.endedJobs(1)
        try directory.write("another", to: "media/in/1.mp4")
        _ = try service.endedJobs(2)
        try directory.write("two", to: "media/in/2.mp4")
        let jobs = try service.endedJobs(3)
        #expect(jobs.map { $0["state"] } == ["succeeded", "succeeded", "succeeded"])
        #expect(
            Set(jobs.compactMap { $0["input"]?["path"]?.string })
                == Set([1, 2].map { directory.file("media/in/\($0).mp4") }))
        #expect(directory.text("media/in/1.mp4.out/1080p.mp4") == "1080p.mp4 done: another")
        #expect(names("media/in") == ["1.mp4", "1.mp4.out", "2.mp4", "2.mp4.out"])
    }

    @Test("outputs go into a separate tree")
    func tree() throws {
        _ = directory.makeDirectory("media/out")
        let service = try TestService(directory)
        try watch(service, ["output": .string(directory.file("media/out"))])
        _ = directory.makeDirectory("media/in/deep")
        _ = directory.makeDirectory("media/in/deep/er")
        try directory.write("one", to: "media/in/deep/er/1.mp4")
        #expect(try service.endedJobs(1).first?["state"] == "succeeded")
        #expect(names("media/out/deep/er") == ["1.mp4.out"])
        #expect(names("media/in/deep/er") == ["1.mp4"])
    }

    @Test("a source that already has the codec, or would not shrink, is skipped and leaves nothing")
    func skipped() throws {
        let service = try TestService(directory)
        _ = directory.makeDirectory("media/out")
        _ = directory.makeDirectory("media/in/deep")
        try watch(service, ["skip": [:], "output": .string(directory.file("media/out"))])
        try directory.write("one", to: "media/in/deep/1.mp4")
        #expect(try service.endedJobs(1).first?["reason"] == "the video is h264 already")
        #expect(names("media/out") == [])
        try watch(service, ["skip": ["codecs": [], "minimumGain": 0.1]])
        try directory.write("long", to: "media/in/2.mp4")
        let job = try #require(try service.endedJobs(2).first)
        #expect(job["state"] == "skipped")
        #expect(job["reason"] == "the output is larger by 150 %; the rule requires 10 % smaller")
        // A job's end is reported before its files are removed.
        service.stop()
        #expect(names("media/in") == ["2.mp4", "deep"])
    }

    @Test("a missing folder is an error, and a removed one is reported")
    func missing() throws {
        let service = try TestService(directory)
        let none: JSONValue = ["path": .string(directory.file("media/none"))]
        #expect(try service.ask("PUT", "/v1/watch-folders/none", none).status == 422)
        #expect(try service.ask("PUT", "/v1/watch-folders/none", ["path": "/etc"]).status == 403)
        try watch(service)
        #expect(rmdir(directory.file("media/in")) == 0)
        var folder: JSONValue = [:]
        while folder["state"] != "failing" { folder = try service.ask("GET", "/v1/watch-folders/inbox").body }
        #expect(folder["problem"]?.string?.contains(directory.file("media/in")) == true)
        #expect(try service.send("DELETE", "/v1/watch-folders/inbox").status == 204)
        #expect(try service.ask("GET", "/v1/watch-folders").body["watchFolders"] == [])
    }
}

@Suite("When a watched file is complete")
struct WatchedTreeTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func tree() throws -> WatchedTree {
        try WatchedTree(WatchFolder(path: directory.path, settleSeconds: 10), directory.path, at: 0)
    }

    private func settled(_ tree: WatchedTree, at now: Double) -> [String] {
        tree.take(at: now)
        return tree.settled(at: now).map(\.path)
    }

    @Test("an open file is complete once closed")
    func written() throws {
        let tree = try tree()
        let file = try FileDescriptor(opening: directory.file("a.mp4"), O_WRONLY | O_CREAT, permissions: 0o600)
        try file.writeAll("half")
        #expect(settled(tree, at: 5).isEmpty)
        try file.writeAll("half")
        close(file)
        #expect(settled(tree, at: 6).isEmpty)
        #expect(settled(tree, at: 7.5) == ["a.mp4"])
    }

    private func close(_ file: consuming FileDescriptor) {}

    @Test("a moved file is complete; a hidden one is ignored")
    func moved() throws {
        let tree = try tree()
        try directory.write("clip", to: ".a.mp4.part")
        #expect(settled(tree, at: 20).isEmpty)
        try OpenDirectory(directory.path).rename(".a.mp4.part", to: "a.mp4", replaces: false)
        #expect(settled(tree, at: 21).isEmpty)
        #expect(settled(tree, at: 22.5) == ["a.mp4"])
    }

    @Test("files in a moved directory are complete once unchanged")
    func directories() throws {
        let tree = try tree()
        _ = directory.makeDirectory(".new")
        try directory.write("clip", to: ".new/a.mp4")
        try OpenDirectory(directory.path).rename(".new", to: "new", replaces: false)
        #expect(settled(tree, at: 5).isEmpty)
        #expect(settled(tree, at: 14).isEmpty)
        #expect(settled(tree, at: 15.5) == ["new/a.mp4"])
    }

    @Test("a known file is reported again only after a change")
    func noted() throws {
        try directory.write("clip", to: "a.mp4")
        let tree = try tree()
        let found = tree.settled(at: 11)
        #expect(found.map(\.path) == ["a.mp4"])
        tree.note("a.mp4", found[0].stamp)
        tree.scan(at: 12)
        #expect(settled(tree, at: 30).isEmpty)
        try directory.write("another", to: "a.mp4")
        #expect(settled(tree, at: 31).isEmpty)
        #expect(settled(tree, at: 32.5) == ["a.mp4"])
    }
}

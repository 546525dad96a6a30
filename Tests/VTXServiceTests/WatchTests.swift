import Glibc
import Testing
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
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

    @Test("an earlier version that comes back is a new source")
    func restored() throws {
        let service = try TestService(directory)
        try watch(service, ["settings": ["overwrite": "replace"]])
        let path = directory.file("media/in/1.mp4")
        for (number, text) in ["one", "another", "one"].enumerated() {
            try directory.write(text, to: "media/1.part")
            // The times of the version, as a backup restores them.
            var times = [
                timespec(tv_sec: 1_000_000 + text.count, tv_nsec: 0),
                timespec(tv_sec: 1_000_000 + text.count, tv_nsec: 0),
            ]
            #expect(utimensat(AT_FDCWD, directory.file("media/1.part"), &times, 0) == 0)
            #expect(rename(directory.file("media/1.part"), path) == 0)
            _ = try service.endedJobs(number + 1)
        }
        #expect(directory.text("media/in/1.mp4.out") == "done: one")
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

    @Test("of two sources with one output, only the first is transcoded")
    func sameOutput() throws {
        let service = try TestService(directory)
        service.runner.outputName.withLock { $0 = "x.h264.mp4" }
        try watch(service)
        service.runner.afterwards.withLock { [directory] in
            $0 = { [weak service] in
                _ = try? directory.write("two", to: "media/in/x.mp4")
                service?.waitForSecond()
            }
        }
        try directory.write("one", to: "media/in/x.mkv")
        #expect(try service.endedJobs(2).map { $0["state"] } == ["skipped", "succeeded"])
        #expect(service.runner.sources.withLock(\.self) == ["one"])
        #expect(names("media/in") == ["x.h264.mp4", "x.mkv", "x.mp4"])
    }

    @Test("a source that changes during its work is transcoded again")
    func changedMeanwhile() throws {
        let service = try TestService(directory)
        try watch(service)
        service.runner.afterwards.withLock { [directory] in
            $0 = { [weak service] in
                service?.runner.afterwards.withLock { $0 = nil }
                _ = try? directory.write("another", to: "media/in/1.mp4")
                service?.waitForSecond()
            }
        }
        try directory.write("one", to: "media/in/1.mp4")
        #expect(try service.endedJobs(2).map { $0["state"] } == ["succeeded", "succeeded"])
        #expect(directory.text("media/in/1.mp4.out") == "done: another")
    }

    @Test("a folder that is removed and created again takes its files again, and then once")
    func createdAgain() throws {
        try directory.write("one", to: "media/in/1.mp4")
        do {
            let service = try TestService(directory)
            for count in 1...3 {
                try watch(service)
                #expect(try service.endedJobs(count).map { $0["state"] } == Array(repeating: "succeeded", count: count))
                if count < 3 { #expect(try service.send("DELETE", "/v1/watch-folders/inbox").status == 204) }
            }
            #expect(service.runner.runs.withLock { $0[directory.file("media/in/1.mp4")] } == 3)
        }
        let service = try TestService(directory)
        try directory.write("two", to: "media/in/2.mp4")
        #expect(try service.endedJobs(4).count == 4)
        #expect(service.runner.sources.withLock(\.self) == ["two"])
    }

    @Test("a stop waits for one file, not for all of the first scan")
    func stopped() throws {
        let count = 1000
        for number in 0..<count { try directory.write("\(number)", to: "media/in/\(number).mp4") }
        let service = try TestService(directory)
        try watch(service)
        while try service.ask("GET", "/v1/jobs?limit=1").body["jobs"] == [] {}
        service.stop()
        let store = try SQLiteStore(path: directory.file("state/vtx.db"))
        defer { store.close() }
        #expect(try store.counts().values.reduce(0, +) < count)
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
        #expect(try service.endedJobs(1).first?["reason"] == "the video is H.264 already")
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

import Glibc
import Testing
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

@testable import VTXService

/// Workers are shell scripts.
@Suite("Workers")
struct WorkerTests {
    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func runner(_ script: String) throws -> CommandRunner {
        let path = try directory.writeScript(script, to: "worker.sh")
        return CommandRunner(path, directory: directory.path, isSandboxed: true, flags: Self.flags)
    }

    /// The command's options for settings.
    private static let flags: CommandRunner.Flags = { $0.map { "+\($0)=\($1)" }.sorted() }

    private var work: MediaWork {
        MediaWork(
            input: "/in.mp4", output: "/out.mp4", settings: ["quality": 60, "overwrite": "replace"],
            workDirectory: directory.path)
    }

    private static let result =
        #"echo '{"type":"result","status":"completed","exitCode":0,"frames":7,"seconds":2,"notices":[]}'"#

    @Test("a worker gets the settings as options, and its records are read")
    func records() throws {
        let runner = try runner(
            """
            echo "$@" >\(directory.file("arguments"))
            echo '{"type":"progress","phase":"transcoding","frame":3,"bytes":10}'
            \(Self.result)
            """)
        let frames = Locked<[Int]>([])
        let finished = try runner.transcode(work, on: [.encode: .cpu], RunControl()) { report in
            if case .progress(let progress) = report { frames.withLock { $0.append(progress.frames) } }
        }
        #expect(finished.frames == 7)
        #expect(frames.withLock(\.self) == [3])
        #expect(
            directory.text("arguments")
                == "transcode --json --sandbox +hardware=off +quality=60 -- /in.mp4 /out.mp4\n")
    }

    @Test("a plan does not include the quality search, which starts the work")
    func target() throws {
        var work = work
        work.settings = ["target": "ssim=0.98", "codec": "h264"]
        let runner = try runner("echo \"$@\" >\(directory.file("arguments"))\n\(Self.result)")
        #expect(throws: Failure.self) { try runner.plan(work, RunControl()) }
        #expect(
            directory.text("arguments")
                == "transcode --json --sandbox --explain --overwrite +codec=h264 -- /in.mp4 /out.mp4\n")
        _ = try runner.transcode(work, on: [.encode: .cpu], RunControl()) { _ in }
        #expect(directory.text("arguments")?.contains("+target=ssim=0.98") == true)
    }

    @Test("an earlier attempt's journal is discarded if it no longer matches")
    func mismatch() throws {
        let error = #"{"code":"journal.mismatch","category":"journal","message":"the source (7 bytes then, 8 now)"}"#
        let runner = try runner(
            """
            echo "$@" >>\(directory.file("arguments"))
            case $* in
            *--restart*) \(Self.result) ;;
            *) echo '{"type":"result","status":"failed","error":\(error)}' ;;
            esac
            """)
        #expect(try runner.transcode(work, on: [.encode: .cpu], RunControl()) { _ in }.frames == 7)
        #expect(
            directory.text("arguments")
                == "transcode --json --sandbox +hardware=off +quality=60 -- /in.mp4 /out.mp4\n"
                + "transcode --json --sandbox --restart +hardware=off +quality=60 -- /in.mp4 /out.mp4\n")
    }

    @Test("a source that was not complete is the outcome")
    func incomplete() throws {
        let result = #"{"type":"result","status":"incompleteSource","exitCode":11,"frames":7,"notices":[]}"#
        let runner = try runner("echo '\(result)'")
        let finished = try runner.transcode(work, on: [.encode: .cpu], RunControl()) { _ in }
        #expect(finished.outcome == .incompleteSource && finished.frames == 7)
    }

    @Test("settings that are no longer supported are the request's fault")
    func oldSettings() throws {
        var work = work
        work.settings = ["qality": 60]
        let runner = try runner("")
        #expect {
            _ = try runner.transcode(work, on: [:], RunControl()) { _ in }
        } throws: {
            let failure = $0 as? Failure
            return failure?.category == .request && failure?.code == "usage.unknownOption"
        }
    }

    @Test("a worker without a result has died, and its last messages are kept")
    func death() throws {
        let runner = try runner("echo 'out of luck' >&2; kill -9 $$")
        #expect {
            _ = try runner.transcode(work, on: [:], RunControl()) { _ in }
        } throws: {
            let failure = $0 as? Failure
            return failure?.category == .worker && failure?.code == "worker.died"
                && failure?.evidence == ["out of luck"]
        }
    }

    @Test(
        "an error's category decides whose fault it is",
        arguments: [
            ("usage", "request"), ("unsupported", "request"), ("hardware", "request"), ("input", "source"),
            ("output", "output"), ("verification", "verification"), ("size", "rule"), ("fallback", "rule"),
            ("internal", "worker"), ("new", "worker"),
        ])
    func errors(kind: String, category: String) throws {
        let error = #"{"code":"some.code","category":"\#(kind)","message":"why"}"#
        let runner = try runner(#"echo '{"type":"result","status":"failed","error":\#(error)}'"#)
        #expect {
            _ = try runner.transcode(work, on: [:], RunControl()) { _ in }
        } throws: {
            ($0 as? Failure)?.category.rawValue == category && ($0 as? Failure)?.message == "why"
        }
    }

    @Test("a store that is full is not waited for when the server stops")
    func stoppingWithFullStore() throws {
        let snapshot = Locked(JobLoop.Snapshot())
        let store = try SQLiteStore(path: directory.file("full.db"))
        var tries = 0
        let ledger = JobLedger(store, Metrics(), snapshot)
        // Nothing later is stored either: the next server continues from before.
        for _ in 0..<2 {
            ledger.retrying { () throws(StoreError) in
                tries += 1
                snapshot.withLock { $0.isStopping = true }
                throw StoreError(.full, "no space")
            }
            #expect(tries == 1 && ledger.hasGivenUp)
        }
    }

    @Test("a worker stops on request, which is no failure")
    func stop() throws {
        let runner = try runner(
            """
            trap 'echo "{\\"type\\":\\"result\\",\\"status\\":\\"cancelled\\",\\"exitCode\\":143}"; exit 143' TERM
            echo '{"type":"progress","phase":"transcoding","frame":1,"bytes":1}'
            while :; do sleep 0.05; done
            """)
        let control = RunControl()
        #expect(throws: Stopped.self) {
            _ = try runner.transcode(work, on: [:], control) { _ in control.stop(.cancel) }
        }
    }

    @Test("the next server adopts a worker that survives its server, without a restart")
    func survivor() throws {
        // It runs until the test has read its first record.
        let script = """
            echo run >>\(directory.file("runs"))
            echo '{"type":"progress","phase":"transcoding","frame":1,"bytes":1}'
            while [ ! -e \(directory.file("end")) ]; do sleep 0.05; done
            \(Self.result)
            """
        let path = try directory.writeScript(script, to: "worker.sh")
        let first = try DetachedWorker(path, ["transcode"], records: directory.file("records.1"))
        try directory.write(try JSONValue(encoding: first.identity).text, to: "worker")
        let next = CommandRunner(path, directory: directory.path, isSandboxed: true, flags: Self.flags)
        let end = directory.file("end")
        let finished = try next.finished(work, RunControl()) { _ in
            try? AtomicFile.write("", to: end, replaces: true)
        }
        #expect(finished?.frames == 7)
        #expect(directory.text("runs") == "run\n")
    }

    @Test("a worker that survives its server is ended if its job is cancelled")
    func leftWorker() throws {
        let path = try directory.writeScript("while :; do sleep 0.05; done", to: "worker.sh")
        let left = try DetachedWorker(path, ["transcode"], records: directory.file("records.1"))
        try directory.write(try JSONValue(encoding: left.identity).text, to: "worker")
        let next = CommandRunner(path, directory: directory.path, isSandboxed: true, flags: Self.flags)
        let end = try #require(next.endOfLeftWorker(in: directory.path))
        end()
        #expect(left.hasEnded(within: 0) && next.endOfLeftWorker(in: directory.path) == nil)
    }

    private static func notice(_ code: String) -> String { #"{"type":"notice","code":"\#(code)"}"# + "\n" }
    private static let done =
        #"{"type":"result","status":"completed","frames":7,"seconds":2,"notices":[]}"# + "\n"

    /// The events that a runner passes on from earlier workers.
    private func left(_ taken: [String: Int64] = [:]) throws -> (FinishedWork?, codes: [String], taken: [String: Int64])
    {
        var work = work
        work.output = directory.file("output.mp4")
        work.takenRecords = taken
        let heard = Locked<(codes: [String], taken: [String: Int64])>(([], taken))
        let finished = try runner("exit 1").finished(work, RunControl()) { report in
            guard case .record(_, let record, let position) = report else { return }
            heard.withLock { heard in
                heard.codes.append(record["code"]?.string ?? "")
                heard.taken[position.file] = position.bytes
            }
        }
        return (finished, heard.withLock(\.codes), heard.withLock(\.taken))
    }

    @Test("the events of a worker that ended without a server are read, each notice once")
    func leftRecords() throws {
        let first = Self.notice("one") + Self.notice("two")
        try directory.write(first, to: "records.2")
        try directory.write(Self.notice("zero"), to: "records.1")
        let before = try left()
        #expect(before.0 == nil)
        #expect(before.codes == ["zero", "one", "two"])
        #expect(before.taken["records.1"] == Int64(Self.notice("zero").utf8.count))
        #expect(before.taken["records.2"] == Int64(first.utf8.count))
        try directory.write(first + "no record\n" + Self.notice("three") + Self.done, to: "records.2")
        #expect(try left(before.taken).0 == nil, "its output has gone")
        try directory.write("whole", to: "output.mp4")
        let after = try left(before.taken)
        #expect(after.0?.frames == 7)
        #expect(after.0?.receipt?["status"]?.string == "completed")
        #expect(after.codes == ["three"])
    }

    @Test("a failure without a server counts once; a requested stop does not")
    func leftFailure() throws {
        let error = #"{"code":"input.damaged","category":"input","message":"why"}"#
        try directory.write(#"{"type":"result","status":"failed","error":\#(error)}"# + "\n", to: "records.1")
        let taken = Locked<RecordPosition?>(nil)
        #expect {
            _ = try runner("exit 1").finished(work, RunControl()) { report in
                if case .taken(let position) = report { taken.withLock { $0 = position } }
            }
        } throws: {
            ($0 as? Failure)?.code == "input.damaged"
        }
        let position = try #require(taken.withLock { $0 })
        #expect(try left([position.file: position.bytes]).0 == nil)
        try directory.write(#"{"type":"result","status":"cancelled"}"# + "\n", to: "records.2")
        #expect(try left([position.file: position.bytes]).0 == nil)
    }
}

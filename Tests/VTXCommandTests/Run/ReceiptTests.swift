import Testing
import VTXJSON
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestValues
import VTXWorker

@testable import VTXCommand

@Suite("The receipt of a transcode")
struct ReceiptTests {
    private let directory = ShellScript()
    private let test = TestConsole()

    /// A run with this last event of its worker.
    private func run(
        _ arguments: [String] = [], _ outcome: TranscodeResult.Outcome? = .completed, to name: String = "receipt.json",
        notices: [Notice] = []
    ) throws -> (code: ExitCode, receipt: JSONValue?) {
        let paths = (source: directory.path("in.mkv"), output: directory.path("out.mp4"))
        let receipt = directory.path(name)
        let line = [paths.source, paths.output, "--receipt", receipt] + arguments
        let settings = try #require(try ArgumentParser.parse(line, by: .transcode))
        try AtomicFile.write("abc", to: paths.source, replaces: true)
        let workers = Workers { _, _, listener throws(TranscodeError) in
            var plan = TranscodePlan.example(output: paths.output)
            plan.input = paths.source
            _ = listener.report(.transcode(.planned(plan)))
            _ = listener.report(.transcode(.notice(Notice(.journalResumed, "resumed at 0:00:01"))))
            guard let outcome else { throw TranscodeError(.outputNoSpace, "the disk is full") }
            try? AtomicFile.write("", to: paths.output, replaces: true)
            var result = TranscodeResult(
                outcome: outcome, output: paths.output, frames: 1, seconds: 1, bytes: 0, elapsedSeconds: 1,
                notices: notices)
            result.verification = VerificationReport(.full)
            result.verification?.note(psnr: 41.26, at: 2.5)
            result.stageDevices = ["decode": ["a GPU"], "filter": ["software"], "encode": ["a GPU", "software"]]
            #expect(Directory.names(in: directory.directory).allSatisfy { !$0.hasSuffix(".json.vtx-partial") })
            return .success(.result(result))
        }
        let code = TranscodeRun(settings, test.console, workers).transcode()
        return (code, TextFile.read(receipt, limit: 1 << 20).flatMap { try? JSONValue(parsing: $0) })
    }

    @Test("names both files by their SHA-256, and has the plan and the result", arguments: [true, false])
    func content(isWhole: Bool) throws {
        let (code, receipt) = try run([], isWhole ? .completed : .incompleteSource)
        let found = try #require(receipt)
        #expect(code == (isWhole ? .success : .incompleteSource) && found["type"]?.string == "receipt")
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(found["source"]?["sha256"]?.string == abc && found["source"]?["bytes"]?.integer == 3)
        let none = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        #expect(found["output"]?["sha256"]?.string == none)
        #expect(found["plan"]?["type"]?.string == "plan" && found["result"]?["type"]?.string == "result")
        #expect(found["result"]?["notices"]?.array?.contains { $0["code"]?.string == "journal.resumed" } == true)
        let verification = try #require(found["result"]?["verification"])
        #expect(verification["mode"]?.string == "full" && verification["framesCompared"]?.integer == 1)
        #expect(verification["quality"]?["points"]?.array?.first?["psnr"]?.number == 41.3)
        #expect(verification["worstPSNR"]?.number == 41.3 && verification["framesEncodedAgain"]?.integer == 0)
        #expect(found["result"]?["stageDevices"]?["encode"]?.array?.map(\.string) == ["a GPU", "software"])
        for name in Receipt.schema["required"]?.array ?? [] { #expect(found[name.string ?? ""] != nil) }
    }

    @Test("for pipes it has the worker's digests")
    func pipes() throws {
        let receipt = directory.path("receipt.json")
        let settings = try #require(try ArgumentParser.parse(["-", "-", "--receipt", receipt], by: .transcode))
        let workers = Workers { order, _, listener throws(TranscodeError) in
            guard case .transcode(let request) = order.task, request.digestsPipes else {
                throw TranscodeError(.internal, "no digests are wanted")
            }
            _ = listener.report(.transcode(.planned(.example(output: "-"))))
            var result = TranscodeResult(
                outcome: .completed, output: "-", frames: 1, seconds: 1, bytes: 7, elapsedSeconds: 1, notices: [])
            result.pipedSource = PipedBytes(count: 3, sha256: "ba78")
            result.pipedOutput = PipedBytes(count: 7, sha256: "e3b0")
            return .success(.result(result))
        }
        #expect(TranscodeRun(settings, test.console, workers).transcode() == .success)
        let found = try #require(TextFile.read(receipt, limit: 1 << 20).flatMap { try? JSONValue(parsing: $0) })
        #expect(found["source"]?["sha256"]?.string == "ba78" && found["source"]?["path"]?.string == "-")
        #expect(found["output"]?["sha256"]?.string == "e3b0" && found["output"]?["bytes"]?.integer == 7)
    }

    @Test("without an output there is none")
    func none() throws {
        #expect(try run([], nil) == (.output, nil))
        #expect(try run([], .skipped) == (.success, nil))
        #expect(Directory.names(in: directory.directory).allSatisfy { !$0.contains("receipt") })
    }

    @Test("there is none of a worker that died with its output in place, so that the same command can finish")
    func late() throws {
        let late = [Notice(.workerLate, "killed")]
        #expect(try run([], .incompleteSource, notices: late) == (.incompleteSource, nil))
        #expect(test.messages.lines.contains { $0.contains("receipt.json' is not written") })
    }

    @Test("it is neither the source nor the output", arguments: ["in.mkv", "./in.mkv", "./out.mp4"])
    func distinct(name: String) throws {
        #expect(try run(["-y"], to: name).code != .success)
        #expect(TextFile.read(directory.path("in.mkv")) == "abc")
        #expect(!AtomicFile.exists(directory.path("out.mp4")))
    }

    @Test("an existing one is refused before the work begins; --overwrite replaces it")
    func exists() throws {
        #expect(try run().code == .success)
        #expect(try run().code == .output)
        #expect(test.messages.lines.contains { $0.contains("receipt.json' exists already") })
        #expect(try run(["-y"]).code == .success)
    }
}

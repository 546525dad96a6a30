import Glibc
import Testing
import VTXMedia
import VTXTask
import VTXTranscode

@testable import VTXCommand

@Suite("vtx transcode as a supervisor and as a worker")
struct SupervisedRunTests {
    private let test = TestConsole()
    private let shell = ShellWorker()

    private func run(
        _ arguments: [String], supervisor: Supervisor? = nil, link: WorkerLink? = nil
    ) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        let engine = TranscodeEngine(
            plan: { _ throws(TranscodeError) in throw TranscodeError(.inputNotFound, "gone") },
            run: { request, _, report throws(TranscodeError) in
                let progress = Progress(
                    phase: .verifying, frames: 9, totalFrames: 9, seconds: 0.36, totalSeconds: 1,
                    elapsedSeconds: 1, bytes: 77)
                report(.progress(progress))
                throw TranscodeError(
                    .inputOpen,
                    "\(request.hardwareFault ?? "no fault"), \(request.device), \(request.codec?.rawValue ?? "")")
            },
            supervisor: { _ throws(TranscodeError) in supervisor }, link: { link })
        let run = TranscodeRun(
            settings: settings, console: test.console, engine: engine, watchSignals: { _, _ in },
            forEachSignal: { _ in })
        return settings.explains ? run.explain() : run.transcode()
    }

    @Test("a supervisor leaves all words to its worker", arguments: [[], ["--explain"], ["--json"]])
    func silent(arguments: [String]) throws {
        #expect(try run(arguments, supervisor: shell.supervisor("say ended 0")) == .success)
        #expect(test.output.text.isEmpty && test.messages.text.isEmpty)
    }

    @Test("with --json the last record is a result, also where every worker died")
    func lastRecord() throws {
        let supervisor = shell.supervisor("say planned gpu hevc; kill -ABRT $$")
        #expect(try run(["--json"], supervisor: supervisor) == .internalError)
        let last = try #require(test.output.lines.last)
        #expect(last.contains("\"type\":\"result\"") && last.contains("\"code\":\"worker.crashed\""))
        #expect(test.messages.lines.count == 1)
    }

    @Test("where hardware is required the error says what happened and what would help")
    func required() throws {
        let supervisor = shell.supervisor("say planned gpu hevc; kill -ABRT $$", secondRun: .forbidden)
        #expect(try run([], supervisor: supervisor) == .hardware)
        #expect(
            test.messages.lines == [
                "vtx: error: the GPU's driver aborted (SIGABRT) after 0 frames, and --hw require forbids software",
                "vtx: hint: --hw auto goes on in software where a driver fails",
            ])
    }

    @Test("a worker that cannot be started is an error with a result")
    func cannotStart() throws {
        let launch = WorkerLaunch(executable: "/none", arguments: ["none"])
        let supervisor = Supervisor(launch: launch, secondRun: .allowed, timeout: nil)
        #expect(try run(["--json"], supervisor: supervisor) == .internalError)
        #expect(test.output.text.contains("\"code\":\"worker.start\""))
        #expect(test.messages.text.contains("posix_spawn /none: No such file or directory"))
    }

    @Test("a worker reports how far it is, and that it has told the user")
    func worker() throws {
        let pipe = try ReportPipe()
        defer { close(pipe.reading) }
        let link = try #require(
            WorkerLink(pipe: pipe.writing, hardwareFault: "the driver crashed", plannedCodec: .hevc))
        #expect(try run(["--device", "vendor:amd"], link: link) == .input)
        close(pipe.writing)
        guard case .bytes(let bytes) = ReadResult.read(from: pipe.reading) else {
            return #expect(Bool(false), "no report")
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "progress verifying 9 77 360\nended 3\n")
        #expect(test.messages.lines == ["vtx: error: the driver crashed, vendor:amd, hevc"])
    }

    @Test("a number that is no pipe of a supervisor makes no worker")
    func noLink() throws {
        let pipe = try ReportPipe()
        defer { [pipe.reading, pipe.writing].forEach { close($0) } }
        #expect(WorkerLink(pipe: pipe.reading) == nil)
        #expect(WorkerLink(pipe: -1) == nil)
        let file = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(WorkerLink(pipe: file) == nil)
    }
}

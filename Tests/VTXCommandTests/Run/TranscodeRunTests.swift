import Testing
import VTXMedia
import VTXTask
import VTXWorker

@testable import VTXCommand

@Suite("A run of vtx transcode")
struct TranscodeRunTests {
    private let test = TestConsole()
    private let notice = Notice(.downgradeBitDepth, "10 bits become 8")

    private static let progress = Progress(
        phase: .transcoding, frames: 50, totalFrames: 100, seconds: 2, totalSeconds: 4, elapsedSeconds: 1,
        bytes: 1000)

    private func result(_ outcome: TranscodeResult.Outcome) -> TranscodeResult {
        TranscodeResult(
            outcome: outcome, output: "out.mp4", frames: 100, seconds: 4, bytes: 2000, elapsedSeconds: 2,
            notices: [notice])
    }

    /// A run with a notice, a progress event and this end.
    private func run(
        on test: TestConsole, _ arguments: String..., ending: Result<TranscodeResult, TranscodeError>
    ) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        let notice = notice
        let workers = Workers { order, _, listener throws(TranscodeError) in
            if case .plan = order.task { throw TranscodeError(.inputNotFound, "gone") }
            _ = listener.report(.transcode(.notice(notice)))
            _ = listener.report(.transcode(.progress(Self.progress)))
            return ending.map { .result($0) }
        }
        let run = TranscodeRun(settings, test.console, workers)
        return settings.explains ? run.explain() : run.transcode()
    }

    @Test(
        "with --json the last record is the result, for every outcome",
        arguments: [
            (TranscodeResult.Outcome.completed, ExitCode.success), (.skipped, .success),
            (.incompleteSource, .incompleteSource),
        ])
    func jsonOutcomes(outcome: TranscodeResult.Outcome, exitCode: ExitCode) throws {
        #expect(try run(on: test, "--json", ending: .success(result(outcome))) == exitCode)
        let last = try #require(test.output.lines.last)
        #expect(last.contains("\"type\":\"result\"") && last.contains("\"status\":\"\(outcome.rawValue)\""))
        #expect(test.messages.text.isEmpty)
    }

    @Test("with --json, --progress none leaves out the progress alone")
    func jsonWithoutProgress() throws {
        _ = try run(on: test, "--json", "--progress", "none", ending: .success(result(.completed)))
        #expect(!test.output.text.contains("\"type\":\"progress\"") && test.output.lines.count > 1)
    }

    @Test("with video on standard output, records go to standard error", arguments: ["--json", "--progress=ffmpeg"])
    func besideVideo(option: String) throws {
        #expect(try run(on: test, "-", option, ending: .success(result(.completed))) == .success)
        #expect(test.output.text.isEmpty && !test.messages.text.isEmpty)
    }

    @Test("an output that would be too large is skipped, which is no error to read but an exit code")
    func tooLarge() throws {
        let error = TranscodeError(.outputTooLarge, "'out.mp4' is projected to be larger", hint: "it was removed")
        #expect(try run(on: test, "-q", ending: .failure(error)) == .size)
        #expect(test.messages.text.contains("vtx: skipped: 'out.mp4' is projected to be larger"))
        #expect(!test.messages.text.contains("error"))
    }

    @Test("with --json a failure is a result on standard output and a sentence on standard error")
    func jsonFailure() throws {
        let error = TranscodeError(.outputNoSpace, "the disk is full", hint: "make room")
        #expect(try run(on: test, "--json", ending: .failure(error)) == .output)
        let last = try #require(test.output.lines.last)
        #expect(last.contains("\"code\":\"output.noSpace\"") && last.contains("\"exitCode\":8"))
        #expect(last.contains("downgrade.bitDepth"))
        #expect(test.messages.lines == ["vtx: error: the disk is full", "vtx: hint: make room"])
    }

    @Test("with --json and --explain a failure is a result")
    func jsonExplainFailure() throws {
        #expect(try run(on: test, "--json", "--explain", ending: .success(result(.completed))) == .input)
        #expect(test.output.lines.count == 1)
        #expect(test.output.text.contains("\"type\":\"result\""))
    }

    @Test("a repeated notice is printed once")
    func noticesOnce() throws {
        _ = try run(on: test, "--json", ending: .success(result(.completed)))
        #expect(test.output.lines.count { $0.hasSuffix("\"type\":\"notice\"}") } == 1)
    }

    @Test("without a terminal there are notices and a summary, and no bar")
    func plainText() throws {
        #expect(try run(on: test, ending: .success(result(.completed))) == .success)
        #expect(
            test.messages.lines == [
                "vtx: downgrade: 10 bits become 8", "vtx: out.mp4: 100 frames, 2.0 kB, 0:04 in 0:02 (2.0x)",
            ])
        #expect(test.output.text.isEmpty)
    }

    @Test("on a terminal the bar clears itself before the next message")
    func barOnTerminal() throws {
        let test = TestConsole.onTerminal
        _ = try run(on: test, ending: .success(result(.completed)))
        #expect(test.messages.text.contains("\r 50%  ["))
        #expect(test.messages.text.contains("\u{1B}[K\r\u{1B}[Kvtx: out.mp4: "))
        #expect(test.messages.text.hasSuffix("(2.0x)\n"))
    }

    @Test("--quiet leaves errors only")
    func quiet() throws {
        let test = TestConsole.onTerminal
        _ = try run(on: test, "-q", ending: .success(result(.completed)))
        #expect(test.messages.text.isEmpty)
        _ = try run(on: test, "-q", ending: .failure(TranscodeError(.inputNotFound, "no such file")))
        #expect(test.messages.text == "vtx: error: no such file\n")
    }

    @Test("--progress ffmpeg prints blocks to standard output, the last of which says end")
    func ffmpegBlocks() throws {
        _ = try run(on: test, "--progress", "ffmpeg", ending: .success(result(.completed)))
        let states = test.output.lines.filter { $0.hasPrefix("progress=") }
        #expect(states == ["progress=continue", "progress=end"])
    }
}

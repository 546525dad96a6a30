import Testing
import VTXMedia
import VTXTask
import VTXTranscode
import VTXSystem

@testable import VTXCommand

@Suite("Stopping a run of vtx transcode")
struct CancellationTests {
    private let test = TestConsole()

    /// A run whose engine gets signals while it works; it ends as a cancelled transcode does.
    private func run(_ arguments: String..., signals: [StopSignal]) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        let handlers = Locked<[@Sendable (StopSignal) -> Void]>([])
        let engine = TranscodeEngine(
            plan: { _ throws(TranscodeError) in throw TranscodeError(.internal, "unused") },
            run: { _, cancellation, report throws(TranscodeError) in
                for (handler, signal) in zip(handlers.withLock { $0 }, signals) { handler(signal) }
                report(.notice(Notice(.workerLate, "too late")))
                throw TranscodeError(cancellation.reason == .interrupted ? .interrupted : .terminated, "stopped")
            })
        let run = TranscodeRun(
            settings: settings, console: test.console, engine: engine,
            watchSignals: { first, second in handlers.withLock { $0 = [first, second] } })
        // The handlers hold the run, whose engine holds the handlers.
        defer { handlers.withLock { $0 = [] } }
        return run.transcode()
    }

    @Test(
        "the first signal cancels with its reason",
        arguments: [
            (StopSignal.interrupt, ExitCode.interrupted), (.terminate, .terminated), (.hangUp, .terminated),
        ])
    func firstSignal(signal: StopSignal, exitCode: ExitCode) throws {
        #expect(try run("--json", signals: [signal]) == exitCode)
        let last = try #require(test.output.lines.last)
        #expect(
            last.contains("\"status\":\"cancelled\"") && last.contains("\"exitCode\":\(exitCode.rawValue)"))
    }

    @Test("the second signal writes the last record, and nothing follows it")
    func secondSignal() throws {
        _ = try run("--json", signals: [.terminate, .interrupt])
        #expect(test.output.lines.count == 1)
        #expect(test.output.text.contains("\"code\":\"cancelled.interrupted\""))
    }
}

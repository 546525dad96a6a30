import Testing
import VTXTask
import VTXMedia
import VTXWorker

@testable import VTXCommand

@Suite("Stopping a run of vtx transcode")
struct CancellationTests {
    private let test = TestConsole()

    /// A run that is stopped while its worker runs.
    private func run(_ arguments: String..., error: TranscodeError) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"] + arguments, by: .transcode))
        let workers = Workers { _, _, listener throws(TranscodeError) in
            listener.stopping()
            return .failure(error)
        }
        return TranscodeRun(settings, test.console, workers).transcode()
    }

    @Test(
        "a signal's exit code is that of its reason",
        arguments: [
            (StopSignal.interrupt, ExitCode.interrupted), (.terminate, .terminated), (.hangUp, .terminated),
        ])
    func reason(signal: StopSignal, exitCode: ExitCode) throws {
        #expect(try run("--json", error: signal.error) == exitCode)
        #expect(test.output.lines.count == 1)
        let last = try #require(test.output.lines.last)
        #expect(
            last.contains("\"status\":\"cancelled\"") && last.contains("\"exitCode\":\(exitCode.rawValue)"))
    }

    @Test("on a terminal the first signal prints a message")
    func answered() throws {
        let settings = try #require(try ArgumentParser.parse(["in.mkv"], by: .transcode))
        let test = TestConsole.onTerminal
        let workers = Workers { _, _, listener throws(TranscodeError) in
            listener.stopping()
            throw TranscodeError(.interrupted, "stopped")
        }
        #expect(TranscodeRun(settings, test.console, workers).transcode() == .interrupted)
        #expect(test.messages.text.contains("stopping; repeat to stop at once"))
    }
}

import VTXMedia
import VTXSystem
import VTXTask

/// Transcodes one input after the other, each in a process of its own, which is this program with the same options.
struct BatchRun: Sendable {
    let plan: BatchPlan
    let settings: TranscodeSettings
    let console: Console

    /// - Returns: how the first one failed that did; `incompleteSource` where that is the worst of all.
    func run() -> ExitCode {
        do throws(SystemError) {
            var stops = try StopSignalDescriptor()
            return run(&stops)
        } catch { return report(TranscodeError(.system, "\(error)")) }
    }

    private func run(_ stops: inout StopSignalDescriptor) -> ExitCode {
        var summary = BatchSummary()
        for (index, item) in plan.items.enumerated() {
            announce(item, index)
            let before = FileStatus(item.output)
            let (ended, stop) = transcode(item, &stops)
            if let stop { return stop.error.exitCode }
            summary.add(item, ended, before: before)
        }
        conclude(summary)
        return summary.exitCode
    }

    private func conclude(_ summary: BatchSummary) {
        guard !settings.isQuiet, !settings.printsJSON, !settings.explains, plan.items.count > 1 else { return }
        console.say(nil, summary.text)
    }

    private var options: [String] { settings.optionArguments.filter { !$0.hasPrefix("--output-dir=") } }

    private func announce(_ item: BatchPlan.Item, _ index: Int) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    /// - Returns: also the signal that came meanwhile.
    private func transcode(
        _ item: BatchPlan.Item, _ stops: inout StopSignalDescriptor
    ) -> (ExitCode, StopSignal?) {
        do throws(SystemError) {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            return (report(TranscodeError(output: "'\(item.output)' cannot be written", error.code)), nil)
        }
        let launch = Launch.same(with: ["vtx", "transcode"] + options + ["--", item.input, item.output])
        do throws(SystemError) {
            let (ending, stop) = try Self.run(launch, &stops)
            return (ending.exitCode ?? crashed(item, ending), stop)
        } catch {
            return (
                report(TranscodeError(.workerStart, "the process for '\(item.input)' cannot be started: \(error)")), nil
            )
        }
    }

    /// Signals are passed on.
    private static func run(
        _ launch: Launch, _ stops: inout StopSignalDescriptor
    ) throws(SystemError) -> (ProcessEnding, StopSignal?) {
        var process = try Subprocess(launch)
        let end = try process.openEnd()
        var first: StopSignal?
        while process.reap() == nil {
            for signal in stops.signals() {
                first = first ?? signal
                process.send(signal: signal.rawValue)
            }
            Poll.wait(for: [.readable(end.number), .readable(stops.number)], seconds: nil)
        }
        return (process.wait(), first)
    }

    private func report(_ error: TranscodeError) -> ExitCode { console.report(error, asJSON: settings.printsJSON) }

    private func crashed(_ item: BatchPlan.Item, _ ending: ProcessEnding) -> ExitCode {
        report(TranscodeError(.workerCrashed, "the process for '\(item.input)' \(ending.words)"))
    }
}

extension ProcessEnding {
    fileprivate var exitCode: ExitCode? {
        if case .exited(let status) = self { ExitCode(rawValue: status) } else { nil }
    }
}

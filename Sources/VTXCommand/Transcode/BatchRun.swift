import VTXMedia
import VTXSystem
import VTXTask

/// Transcodes several inputs, each in a separate process of this program with the same options, several in parallel if
/// requested.
struct BatchRun: Sendable {
    let plan: BatchPlan
    let settings: TranscodeSettings
    let console: Console
    let workers: Workers
    /// The number of parallel transcodes.
    private(set) var limit = 1

    init(plan: BatchPlan, settings: TranscodeSettings, console: Console, workers: Workers? = nil) {
        (self.plan, self.settings, self.console) = (plan, settings, console)
        self.workers = workers ?? .live(console)
        limit = chooseLimit()
    }

    /// - Returns: the exit code of the first failure; `incompleteSource` if there is nothing worse.
    func run() -> ExitCode {
        do throws(SystemError) {
            var stops = try StopSignalDescriptor()
            return run(&stops)
        } catch { return report(TranscodeError(.system, "\(error)")) }
    }

    private func run(_ stops: inout StopSignalDescriptor) -> ExitCode {
        var summary = BatchSummary()
        var waiting = Array(plan.items.enumerated())[...]
        var running: [BatchProcess] = []
        var display = drawsBar ? BatchDisplay(plan.items, console) : nil
        var stop: StopSignal?
        while !waiting.isEmpty || !running.isEmpty {
            while running.count < limit, let (index, item) = waiting.popFirst() {
                announce(item, index, &display)
                start(item, index, &running, &summary)
            }
            for signal in Self.wait(for: running, &stops) {
                stop = stop ?? signal
                waiting = []
                running.forEach { $0.send(signal) }
            }
            for process in running {
                let hasEnded = process.ending != nil
                display?.show(process)
                if hasEnded { conclude(process, &summary, &display) }
            }
            running.removeAll { $0.ending != nil }
        }
        if let stop { return stop.error.exitCode }
        sayTotal(summary)
        return summary.exitCode
    }

    private func chooseLimit() -> Int {
        // The multi-line output of several plans would be mixed.
        if settings.explains { return 1 }
        if case .count(let count) = settings.jobs { return count }
        let choice = chooseJobs()
        if !settings.isQuiet, let choice {
            let inputs = choice.count == 1 ? "one input" : "\(choice.count) inputs"
            console.say(nil, "\(inputs) at a time: \(choice.reason)")
        }
        return choice?.count ?? 1
    }

    /// - Returns: the received signals.
    private static func wait(for running: [BatchProcess], _ stops: inout StopSignalDescriptor) -> [StopSignal] {
        guard !running.isEmpty else { return [] }
        Poll.wait(for: running.flatMap(\.events) + [.readable(stops.number)], seconds: nil)
        return stops.signals()
    }

    /// Whether to show one progress bar for all inputs.
    private var drawsBar: Bool {
        guard !settings.printsJSON, !settings.explains else { return false }
        switch settings.progress {
        case .auto: return console.terminal.redrawsLines && !settings.isQuiet
        case .bar: return true
        case .ffmpeg, .json, .none: return false
        }
    }

    private func announce(_ item: BatchPlan.Item, _ index: Int, _ display: inout BatchDisplay?) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        display?.erase()
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    private func sayTotal(_ summary: BatchSummary) {
        guard !settings.isQuiet, !settings.printsJSON, !settings.explains, plan.items.count > 1 else { return }
        console.say(nil, summary.text)
    }
}

extension BatchRun {
    private func start(
        _ item: BatchPlan.Item, _ index: Int, _ running: inout [BatchProcess], _ summary: inout BatchSummary
    ) {
        let before = FileStatus(item.output)
        do throws(SystemError) {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            let failure = TranscodeError(output: "'\(item.output)' cannot be written", error.code)
            return summary.add(item, report(failure), before: before)
        }
        let files = plan.replacesInputs ? [item.input] : [item.input, item.output]
        let launch = Launch.same(with: ["vtx", "transcode"] + options + ["--"] + files)
        do throws(SystemError) {
            running.append(try BatchProcess(item, index, launch, before: before, isHeard: drawsBar))
        } catch {
            let failure = TranscodeError(
                .workerStart, "the process for '\(item.input)' cannot be started: \(error)")
            summary.add(item, report(failure), before: before)
        }
    }

    private func conclude(_ process: BatchProcess, _ summary: inout BatchSummary, _ display: inout BatchDisplay?) {
        guard let ending = process.ending else { return }
        display?.end(process)
        summary.add(process.item, ending.exitCode ?? crashed(process.item, ending), before: process.before)
    }

    /// The options of the processes. If there is a bar, it is drawn here, and they report progress as records.
    private var options: [String] {
        let own = settings.optionArguments.filter { argument in
            !["--output-dir=", "--jobs="].contains(where: argument.hasPrefix)
                && !(drawsBar && argument.hasPrefix("--progress="))
        }
        return own + (drawsBar ? ["--progress=json"] : []) + (skipsDone ? ["--skip-codecs=auto"] : [])
    }

    /// The same command again must not encode again what it has replaced.
    private var skipsDone: Bool {
        plan.replacesInputs && !settings.optionArguments.contains { $0.hasPrefix("--skip-codecs=") }
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

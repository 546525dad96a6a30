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
        var stop: StopSignal?
        while !waiting.isEmpty || !running.isEmpty {
            while running.count < limit, let (index, item) = waiting.popFirst() {
                announce(item, index)
                start(item, &running, &summary)
            }
            for signal in Self.wait(for: running, &stops) {
                stop = stop ?? signal
                waiting = []
                running.forEach { $0.send(signal) }
            }
            for process in running where process.ending != nil { conclude(process, &summary) }
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
            console.say(nil, "\(inputs) at one time: \(choice.reason)")
        }
        return choice?.count ?? 1
    }

    /// - Returns: the received signals.
    private static func wait(for running: [BatchProcess], _ stops: inout StopSignalDescriptor) -> [StopSignal] {
        guard !running.isEmpty else { return [] }
        Poll.wait(for: running.map { .readable($0.end) } + [.readable(stops.number)], seconds: nil)
        return stops.signals()
    }

    private func announce(_ item: BatchPlan.Item, _ index: Int) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    private func sayTotal(_ summary: BatchSummary) {
        guard !settings.isQuiet, !settings.printsJSON, !settings.explains, plan.items.count > 1 else { return }
        console.say(nil, summary.text)
    }
}

extension BatchRun {
    private func start(_ item: BatchPlan.Item, _ running: inout [BatchProcess], _ summary: inout BatchSummary) {
        let before = FileStatus(item.output)
        do throws(SystemError) {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            let failure = TranscodeError(output: "'\(item.output)' cannot be written", error.code)
            return summary.add(item, report(failure), before: before)
        }
        let launch = Launch.same(with: ["vtx", "transcode"] + options + ["--", item.input, item.output])
        do throws(SystemError) { running.append(try BatchProcess(item, launch, before: before)) } catch {
            let failure = TranscodeError(
                .workerStart, "the process for '\(item.input)' cannot be started: \(error)")
            summary.add(item, report(failure), before: before)
        }
    }

    private func conclude(_ process: BatchProcess, _ summary: inout BatchSummary) {
        guard let ending = process.ending else { return }
        summary.add(process.item, ending.exitCode ?? crashed(process.item, ending), before: process.before)
    }

    /// Two progress bars would overwrite each other.
    private var options: [String] {
        let own = settings.optionArguments.filter { !$0.hasPrefix("--output-dir=") && !$0.hasPrefix("--jobs=") }
        return own + (limit > 1 && settings.progress == .auto ? ["--progress=none"] : [])
    }

    private func report(_ error: TranscodeError) -> ExitCode { console.report(error, asJSON: settings.printsJSON) }

    private func crashed(_ item: BatchPlan.Item, _ ending: ProcessEnding) -> ExitCode {
        report(TranscodeError(.workerCrashed, "the process for '\(item.input)' \(ending.words)"))
    }
}

/// An input that is being transcoded.
private final class BatchProcess {
    let item: BatchPlan.Item
    /// The file with the output's name before the start.
    let before: FileStatus?
    private var process: Subprocess
    private let descriptor: FileDescriptor

    init(_ item: BatchPlan.Item, _ launch: Launch, before: FileStatus?) throws(SystemError) {
        (self.item, self.before) = (item, before)
        process = try Subprocess(launch)
        descriptor = try process.openEnd()
    }

    /// The descriptor that becomes readable when it has exited.
    var end: Int32 { descriptor.number }
    /// nil while it runs.
    var ending: ProcessEnding? { process.reap() }

    func send(_ signal: StopSignal) { process.send(signal: signal.rawValue) }
}

extension ProcessEnding {
    fileprivate var exitCode: ExitCode? {
        if case .exited(let status) = self { ExitCode(rawValue: status) } else { nil }
    }
}

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

    private struct State {
        var waiting: ArraySlice<EnumeratedSequence<[BatchPlan.Item]>.Element>
        var running: [BatchProcess] = []
        var summary = BatchSummary()
        /// nil if the processes report themselves.
        var reporter: (any BatchReporter)?
        /// The first received signal.
        var stop: StopSignal?
    }

    /// - Returns: the exit code of the first failure; `incompleteSource` if there is nothing worse.
    func run() -> ExitCode {
        do throws(SystemError) {
            var stops = try StopSignalDescriptor()
            return run(&stops)
        } catch { return console.report(TranscodeError(.system, "\(error)"), asJSON: settings.printsJSON) }
    }

    private func run(_ stops: inout StopSignalDescriptor) -> ExitCode {
        let start = ContinuousClock.now
        // A reader that has stopped reading must not keep a signal from being heard.
        [console.output, console.messages].forEach { $0.giveUp(whenReadable: stops.number) }
        var state = State(waiting: Array(plan.items.enumerated())[...], reporter: makeReporter())
        while !state.waiting.isEmpty || !state.running.isEmpty {
            while state.running.count < limit, let (index, item) = state.waiting.popFirst() {
                if limit == 1 { announce(item, index, &state) }
                self.start(item, index, &state)
            }
            for signal in Self.wait(for: state.running, &stops) { end(&state, because: signal) }
            // Asked once: one that ends meanwhile is concluded in the next round.
            let ended = state.running.filter { $0.ending != nil }
            state.running.removeAll { process in ended.contains { $0 === process } }
            (ended + state.running).forEach { state.reporter?.show($0) }
            ended.forEach { conclude($0, &state) }
        }
        let exitCode = state.stop?.error.exitCode ?? state.summary.exitCode
        sayTotal(state, exitCode, seconds: (ContinuousClock.now - start) / .seconds(1))
        return exitCode
    }

    /// Stops all processes, and starts no more.
    private func end(_ state: inout State, because signal: StopSignal) {
        state.stop = state.stop ?? signal
        state.running.forEach { $0.send(signal) }
        for (_, item) in state.waiting {
            state.summary.add(item, signal.error.exitCode, before: nil)
            record(signal.error, of: item)
        }
        state.waiting = []
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

    private func makeReporter() -> (any BatchReporter)? {
        if settings.printsJSON || settings.progress == .json { return BatchRecords(console: console) }
        if drawsBar { return BatchDisplay(plan.items, console, holdsMessages: limit > 1) }
        return limit > 1 ? BatchMessages() : nil
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

    private func announce(_ item: BatchPlan.Item, _ index: Int, _ state: inout State) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        state.reporter?.erase()
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    private func sayTotal(_ state: State, _ exitCode: ExitCode, seconds: Double) {
        if settings.printsJSON {
            return console.output.write(SummaryRecord(state.summary, elapsedSeconds: seconds, exitCode).line)
        }
        guard state.stop == nil, !settings.isQuiet, !settings.explains, plan.items.count > 1 else { return }
        console.say(nil, state.summary.text)
    }
}

extension BatchRun {
    private func start(_ item: BatchPlan.Item, _ index: Int, _ state: inout State) {
        let before = FileStatus(item.output)
        if let failure = item.obstacle { return state.summary.add(item, report(failure, of: item), before: before) }
        do throws(SystemError) {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            let failure = TranscodeError(output: "'\(item.output)' cannot be written", error.code)
            return state.summary.add(item, report(failure, of: item), before: before)
        }
        let files = plan.replacesInputs ? [item.input] : [item.input, item.output]
        var launch = Launch.same(with: ["vtx", "transcode"] + options + ["--"] + files)
        launch.endsWithThisProcess()
        let captured = state.reporter?.captured ?? .nothing
        do throws(SystemError) {
            state.running.append(try BatchProcess(item, index, launch, before: before, captured))
        } catch {
            let failure = TranscodeError(
                .workerStart, "the process for '\(item.input)' cannot be started: \(error)")
            state.summary.add(item, report(failure, of: item), before: before)
        }
    }

    private func conclude(_ process: BatchProcess, _ state: inout State) {
        guard let ending = process.ending else { return }
        state.reporter?.end(process)
        if limit > 1 { showMessages(of: process, &state) }
        let exitCode = ending.exitCode ?? .internalError
        let words = ending.exitCode == nil ? ending.words : "ended without a result"
        let error = TranscodeError(.workerCrashed, "the process for '\(process.item.input)' \(words)")
        if ending.exitCode == nil { console.explain(error) }
        if !process.hasResult { record(error, of: process.item) }
        if settings.explains {
            state.summary.addPlanned(process.item, exitCode)
        } else {
            state.summary.add(process.item, exitCode, before: process.before)
        }
    }

    /// Shows what several processes at a time have reported, each below its input.
    private func showMessages(of process: BatchProcess, _ state: inout State) {
        announce(process.item, process.index, &state)
        if settings.isQuiet, !process.heldMessages.isEmpty { console.say(nil, process.item.input) }
        process.heldMessages.forEach { console.messages.write($0 + "\n") }
    }

    /// The options of the processes. If there is a bar, it is drawn here, and they report progress as records.
    private var options: [String] {
        let own = settings.optionArguments.filter { argument in
            !["--output-dir=", "--jobs="].contains(where: argument.hasPrefix)
                && !(drawsBar && argument.hasPrefix("--progress="))
        }
        return own + (drawsBar ? ["--progress=json"] : [])
    }

    private func report(_ error: TranscodeError, of item: BatchPlan.Item) -> ExitCode {
        console.explain(error)
        record(error, of: item)
        return error.exitCode
    }

    /// Writes the result of an input whose process has not.
    private func record(_ error: TranscodeError, of item: BatchPlan.Item) {
        guard settings.printsJSON else { return }
        var record = ResultRecord(error, output: item.output)
        record.input = item.input
        console.output.write(record.line)
    }
}

extension ProcessEnding {
    fileprivate var exitCode: ExitCode? {
        if case .exited(let status) = self { ExitCode(rawValue: status) } else { nil }
    }
}

import Glibc
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

/// Transcodes one input after the other, each in a process of its own, which is this program with the same options.
struct BatchRun: Sendable {
    let plan: BatchPlan
    let settings: TranscodeSettings
    let console: Console

    private struct State {
        var child: pid_t?
        var stop: StopSignal?
    }

    /// - Returns: how the first one failed that did; `incompleteSource` where that is the worst of all.
    func run() -> ExitCode {
        let state = Locked(State())
        StopSignals.forEach { signal in
            state.withLock {
                $0.stop = $0.stop ?? signal
                if let child = $0.child { kill(child, signal.rawValue) }
            }
        }
        var code = ExitCode.success
        for (index, item) in plan.items.enumerated() {
            if let stop = state.withLock({ $0.stop }) { return stop.error.exitCode }
            announce(item, index)
            let ended = transcode(item, state)
            if code == .success || code == .incompleteSource && ended != .success { code = ended }
        }
        return state.withLock { $0.stop }?.error.exitCode ?? code
    }

    private var options: [String] { settings.optionArguments.filter { !$0.hasPrefix("--output-dir=") } }

    private func announce(_ item: BatchPlan.Item, _ index: Int) {
        guard !settings.isQuiet, !settings.printsJSON else { return }
        console.say(nil, "\(index + 1) of \(plan.items.count): \(item.input)")
    }

    private func transcode(_ item: BatchPlan.Item, _ state: Locked<State>) -> ExitCode {
        do {
            if !settings.explains { try Directory.make(FileName.directory(of: item.output).directory) }
        } catch {
            return report(TranscodeError(output: "'\(item.output)' cannot be written", error.code))
        }
        let launch = WorkerLaunch.same(with: ["vtx", "transcode"] + options + ["--", item.input, item.output])
        do {
            let ending = try wait(for: launch, state)
            return ending.exitCode ?? crashed(item, ending)
        } catch {
            return report(TranscodeError(.workerStart, "the process for '\(item.input)' cannot be started: \(error)"))
        }
    }

    private func wait(for launch: WorkerLaunch, _ state: Locked<State>) throws -> ProcessEnding {
        // A signal comes either before, and is looked at first, or finds the child.
        let child = try state.withLock { state in
            let child = try launch.start()
            state.child = child
            if let stop = state.stop { kill(child, stop.rawValue) }
            return child
        }
        defer { state.withLock { $0.child = nil } }
        return ProcessEnding(waitingFor: child)
    }

    private func report(_ error: TranscodeError) -> ExitCode { console.report(error, asJSON: settings.printsJSON) }

    private func crashed(_ item: BatchPlan.Item, _ ending: ProcessEnding) -> ExitCode {
        report(TranscodeError(.workerCrashed, "the process for '\(item.input)' \(ending.words)"))
    }
}

extension ProcessEnding {
    /// Waits until the process has ended.
    fileprivate init(waitingFor process: pid_t) {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        self.init(waitStatus: status)
    }

    fileprivate var exitCode: ExitCode? {
        if case .exited(let status) = self { ExitCode(rawValue: status) } else { nil }
    }
}

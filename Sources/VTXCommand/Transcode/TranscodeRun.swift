import VTXTask
import VTXTranscode

/// One run of `vtx transcode`, from the settings to the exit code.
struct TranscodeRun: Sendable {
    let settings: TranscodeSettings
    let console: Console
    let engine: TranscodeEngine
    /// Has the first and the second signal call something; see `StopSignals.watch`.
    var watchSignals:
        @Sendable (
            _ first: @escaping @Sendable (StopSignal) -> Void,
            _ second: @escaping @Sendable (StopSignal) -> Void
        ) -> Void = StopSignals.watch

    /// Has every signal call something; see `StopSignals.forEach`.
    var forEachSignal: @Sendable (@escaping @Sendable (StopSignal) -> Void) -> Void = StopSignals.forEach

    /// Transcodes, and tells the user about it as they asked.
    func transcode() -> ExitCode {
        supervised(transcodeHere)
    }

    /// Prints the plan and writes nothing.
    func explain() -> ExitCode {
        supervised(explainHere)
    }

    private func transcodeHere() -> ExitCode {
        let reporter = makeReporter()
        let cancellation = Cancellation()
        watchSignals(
            { stop in
                cancellation.cancel(stop.reason)
                reporter.stopping()
            },
            { stop in fail(stop.error, reporter) })
        do {
            let result = try engine.run(request, cancellation) { event in
                if case .finished(let result) = event { return finish(result, reporter) }
                engine.link()?.report(event)
                reporter.report(event)
            }
            return result.exitCode
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }

    private func explainHere() -> ExitCode {
        let reporter = makeReporter()
        // Nothing is under way that would have to be put in order first, so one signal is enough.
        watchSignals(
            { stop in
                fail(stop.error, reporter)
                stop.endProcess()
            },
            { _ in })
        do {
            let plan = try engine.plan(request)
            engine.link()?.report(plan)
            let text = PlanText.text(for: plan)
            console.output.write(
                settings.printsJSON ? TranscodeEvent.planned(plan).line + ResultRecord.success.line : text)
            return .success
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }

    func makeReporter() -> any Reporter {
        let reporter: any Reporter =
            settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
        let relay: @Sendable (String) -> Void = { reporter.relay($0) }
        engine.listen(settings.isVerbose ? relay : nil)
        return reporter
    }

    private var style: TextReporter.Style {
        let drawsBar =
            switch settings.progress {
            case .auto: console.terminal.redrawsLines && !settings.isQuiet
            case .bar: true
            case .ffmpeg, .none: false
            }
        return TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: settings.isVerbose,
            showsSummary: !settings.isQuiet, drawsBar: drawsBar, printsBlocks: settings.progress == .ffmpeg)
    }
}

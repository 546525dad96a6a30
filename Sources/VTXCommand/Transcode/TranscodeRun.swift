import VTXMedia
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
        fallbackNotice.map { reporter.report(.notice($0)) }
        do {
            let result = try engine.run(request, cancellation) { event in
                engine.link?.report(event)
                reporter.report(event)
            }
            reporter.finish(result)
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
            engine.link?.report(plan)
            let text = PlanText.text(for: plan)
            console.output.write(
                settings.printsJSON ? PlanRecord(plan).line + ResultRecord.success.line : text)
            return .success
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }

    private func makeReporter() -> any Reporter {
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

extension TranscodeRun {
    /// Has a worker do what this process would else do itself, where a driver might bring the process down.
    private func supervised(_ work: () -> ExitCode) -> ExitCode {
        do {
            guard let supervisor = try engine.supervisor(settings.request) else { return asWorker(work) }
            let stops = try StopPipe()
            let count = Locked(0)
            forEachSignal { signal in
                stops.send(signal)
                // The second one kills the worker; a third one means a console that nobody reads.
                if count.withLock({
                    $0 += 1; return $0 >= 3
                }) {
                    signal.endProcess()
                }
            }
            return tell(try supervisor.run(stops, onDeath: eraseBar))
        } catch let error as TranscodeError {
            return console.report(error, asJSON: settings.printsJSON)
        } catch {
            let error = TranscodeError(.internalError, "worker.start", "vtx cannot start its worker: \(error)")
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    /// Says what the worker could not say any more.
    private func tell(_ verdict: Supervision.Verdict) -> ExitCode {
        switch verdict {
        case .exit(let code): return code
        case .failed(let error): return console.report(error, asJSON: settings.printsJSON)
        case .completed(let result):
            makeReporter().finish(result)
            return result.exitCode
        }
    }

    /// A worker that died has left its progress bar on the terminal.
    private func eraseBar() {
        if console.terminal.redrawsLines { console.messages.write("\r\u{1B}[K") }
    }

    /// Tells the user, and then the supervisor that the user knows.
    private func fail(_ error: TranscodeError, _ reporter: any Reporter) {
        reporter.fail(error)
        engine.link?.send(.ended(error.exitCode))
    }

    /// Does the work, and tells the supervisor, if there is one, that the user knows how it went.
    private func asWorker(_ work: () -> ExitCode) -> ExitCode {
        let code = work()
        engine.link?.send(.ended(code))
        return code
    }

    private var fallbackNotice: Notice? {
        engine.link?.hardwareFault.map { Notice(.warning, "hardware.fault", "\($0); all is done again in software") }
    }

    private var request: TranscodeRequest {
        var request = settings.request
        guard let link = engine.link, link.hardwareFault != nil else { return request }
        request.hardware = .off
        request.device = "auto"
        request.codec = request.codec ?? link.plannedCodec
        return request
    }
}

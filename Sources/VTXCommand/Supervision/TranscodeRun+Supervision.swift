import VTXMedia
import VTXTask
import VTXTranscode
import VTXSystem

/// A run as a supervisor, and as a worker.
extension TranscodeRun {
    /// Has a worker do what this process would else do itself, where a driver might bring the process down.
    func supervised(_ work: () -> ExitCode) -> ExitCode {
        do {
            guard let supervisor = try engine.supervisor(settings.request) else { return asWorker(work) }
            // First: with a worker under way nothing may fail any more.
            let stops = try StopPipe()
            guard let worker = try supervisor.begin() else { return asWorker(work) }
            listen(stops)
            return tell(try supervisor.run(worker, stops, onDeath: eraseBar))
        } catch let error as TranscodeError {
            return console.report(error, asJSON: settings.printsJSON)
        } catch {
            let error = TranscodeError(.workerStart, "vtx cannot start its worker: \(error)")
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    /// The second signal kills a worker that does not end; a third one means a console that is not read.
    private func listen(_ stops: StopPipe) {
        let count = Locked(0)
        forEachSignal { signal in
            count.withLock { $0 += 1 }
            stops.send(signal)
            if count.withLock({ $0 }) >= 3 { signal.endProcess() }
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
    func finish(_ result: TranscodeResult, _ reporter: any Reporter) {
        reporter.finish(result)
        engine.link()?.send(.ended(result.exitCode))
    }

    /// Likewise.
    func fail(_ error: TranscodeError, _ reporter: any Reporter) {
        reporter.fail(error)
        engine.link()?.send(.ended(error.exitCode))
    }

    /// Does the work, and tells the supervisor, if there is one, that the user knows how it went.
    private func asWorker(_ work: () -> ExitCode) -> ExitCode {
        let code = work()
        engine.link()?.send(.ended(code))
        return code
    }

    /// What the user asked for, and what an earlier worker's end makes of it.
    var request: TranscodeRequest {
        var request = settings.request
        guard let link = engine.link(), let fault = link.hardwareFault else { return request }
        request.hardwareFault = fault
        request.avoidsHardware = link.avoidsHardware
        request.codec = request.codec ?? link.plannedCodec
        return request
    }
}

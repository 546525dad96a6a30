import VTX
import VTXTask
import VTXTranscode

/// One run of `vtx nal`.
struct NALRun: Sendable {
    let settings: NALSettings
    let reporter: NALReporter
    /// See `StopSignals.watch`.
    var watchSignals:
        @Sendable (
            _ first: @escaping @Sendable (StopSignal) -> Void,
            _ second: @escaping @Sendable (StopSignal) -> Void
        ) -> Void = StopSignals.watch

    func list() -> ExitCode {
        let reporter = reporter
        // Nothing has to be put in order first, so one signal is enough.
        watchSignals(
            { stop in
                reporter.fail(stop.error)
                stop.endProcess()
            },
            { _ in })
        do {
            let exitCode = ExitCode(try ElementaryStreams.list(settings.listing) { reporter.report($0) })
            reporter.finish(exitCode)
            return exitCode
        } catch {
            reporter.fail(error)
            return error.exitCode
        }
    }
}

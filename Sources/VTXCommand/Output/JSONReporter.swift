import VTXMedia
import VTXTask
import VTXSystem

/// Writes records to standard output, one per line; the last one is always the result. Errors also go to standard
/// error.
final class JSONReporter: Reporter {
    private let console: Console
    private let showsProgress: Bool
    private let state = Locked(State())

    private struct State {
        var log = NoticeLog()
        var cadence = ProgressThrottle(interval: 0.5)
        var output: String?
        var hasEnded = false
    }

    init(_ console: Console, showsProgress: Bool = true) {
        (self.console, self.showsProgress) = (console, showsProgress)
    }

    func report(_ event: TranscodeEvent) {
        update { state in
            switch event {
            case .planned(let plan):
                state.output = plan.output
                write(event)
                state.log.add(plan.notices).map(TranscodeEvent.notice).forEach(write)
            case .notice(let notice):
                state.log.add([notice]).map(TranscodeEvent.notice).forEach(write)
            case .finished: break
            case .progress(let progress):
                if showsProgress, state.cadence.admits(progress) { write(event) }
            }
        }
    }

    /// Ignored: messages are for users; programs read the records.
    func relay(_ line: String) {}

    func stopping() {}

    func finish(_ result: TranscodeResult) {
        update { state in
            state.log.add(result.notices).map(TranscodeEvent.notice).forEach(write)
            write(ResultRecord(result, notices: state.log.notices))
            state.hasEnded = true
        }
    }

    func fail(_ error: TranscodeError) {
        update { state in
            console.explain(error)
            write(ResultRecord(error, output: state.output, notices: state.log.notices))
            state.hasEnded = true
        }
    }

    private func write(_ record: some Record) { console.output.write(record.line) }
    private func write(_ event: TranscodeEvent) { console.output.write(event.line) }

    private func update(_ body: (inout State) -> Void) {
        state.withLock { if !$0.hasEnded { body(&$0) } }
    }
}

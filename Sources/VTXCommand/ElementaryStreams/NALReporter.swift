import VTXMedia
import VTXTask
import VTXTranscode
import VTXSystem

/// Prints a listing as it comes. Calls come from any thread; after `finish` or `fail` nothing more is said.
final class NALReporter: Sendable {
    private let console: Console
    private let printsJSON: Bool
    private let state = Locked(State())

    private struct State {
        var notices: [Notice] = []
        var hasEnded = false
    }

    init(_ console: Console, printsJSON: Bool) {
        self.console = console
        self.printsJSON = printsJSON
    }

    /// - Returns: false where the reader has gone.
    func report(_ event: NALDump.Event) -> Bool {
        update { state in
            switch event {
            case .stream(let stream): write(printsJSON ? NALStreamRecord(stream).line : NALText.heading(stream))
            case .unit(let unit): write(printsJSON ? NALUnitRecord(unit).line : NALText.line(unit))
            case .notice(let notice): add(notice, &state)
            }
        }
        return console.output.hasReader
    }

    func finish(_ exitCode: ExitCode) {
        update { state in
            if printsJSON { write(ResultRecord(exitCode, notices: state.notices).line) }
            state.hasEnded = true
        }
    }

    func fail(_ error: TranscodeError) {
        update { state in
            _ = console.report(error, asJSON: printsJSON)
            state.hasEnded = true
        }
    }

    private func add(_ notice: Notice, _ state: inout State) {
        state.notices.append(notice)
        console.say(.warning, notice.message.withFlags)
        if printsJSON { write(TranscodeEvent.notice(notice).line) }
    }

    private func write(_ line: String) { console.output.write(line) }

    private func update(_ body: (inout State) -> Void) {
        state.withLock { if !$0.hasEnded { body(&$0) } }
    }
}

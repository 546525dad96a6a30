import VTXTask
import VTXWorker

/// One run of `vtx nal`.
struct NALRun: Sendable {
    let listing: NALDump
    let console: Console
    let workers: Workers

    init(_ settings: NALSettings, _ console: Console, _ workers: Workers? = nil) {
        var listing = settings.listing
        listing.form = settings.printsJSON ? .json : .text
        self.listing = listing
        self.console = console
        self.workers = workers ?? .live(console)
    }

    func list() -> ExitCode {
        let listener = NALListener(console, listing.form)
        // Nothing has to be put in order first, so one signal is enough.
        let policy = Supervision.Policy(mayUseHardware: false, endsAtFirstStop: true)
        do throws(TranscodeError) {
            _ = try workers.run(WorkerOrder(.listNALUnits(listing)), policy, listener).get()
            return listener.finish()
        } catch {
            return console.report(error, asJSON: listing.form == .json)
        }
    }
}

/// Prints a listing as it comes.
final class NALListener: WorkerListener {
    private let console: Console
    private let form: NALDump.Form
    private var notices: [Notice] = []
    private var outcome = TranscodeResult.Outcome.completed

    init(_ console: Console, _ form: NALDump.Form) {
        self.console = console
        self.form = form
    }

    /// - Returns: false where the reader has gone.
    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .output(let lines): console.output.write(lines)
        case .transcode(.notice(let notice)): add(notice)
        case .answer(.listed(let outcome)): self.outcome = outcome
        default: break
        }
        return console.output.hasReader
    }

    func finish() -> ExitCode {
        let code = ExitCode(outcome)
        if form == .json { console.output.write(ResultRecord(code, notices: notices).line) }
        return code
    }

    private func add(_ notice: Notice) {
        notices.append(notice)
        console.say(.warning, notice.message.withFlags)
        if form == .json { console.output.write(TranscodeEvent.notice(notice).line) }
    }
}

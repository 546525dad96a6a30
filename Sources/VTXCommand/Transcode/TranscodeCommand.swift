import VTXProbe
import VTXSystem
import VTXTask
import VTXWorker

extension Command {
    static let transcode = Command(
        "transcode", "convert a video file to HEVC, H.264 or AV1",
        details: [
            "Encodes the video of INPUT and writes it to OUTPUT with everything else in the source: audio, subtitles, "
                + "chapters, rotation, colors and tags. Losses are reported on standard error; with --no-downgrade "
                + "they are errors.",
            "OUTPUT gets its name only when it is complete and verified. An existing file is never replaced without "
                + "--overwrite.",
        ],
        grammar: .transcode,
        examples: [
            Example("vtx transcode holiday.mov", "A new file next to the input, with the defaults"),
            Example("vtx transcode in.mkv out.mp4 --h264 --quality 75", "H.264 for old players"),
            Example(
                "vtx transcode in.mkv out.mp4 --bitrate 5M --max-bitrate 8M", "A predictable file size"),
            Example("vtx transcode in.mkv out.mp4 --size 1280x720 --audio aac", "Smaller, with AAC audio"),
            Example(
                "vtx transcode in.ts out.mkv --start 1:30 --duration 10:00", "Ten minutes of a recording"),
            Example("vtx transcode in.mkv out.mp4 --hdr sdr", "HDR converted to SDR"),
            Example("vtx transcode one.mp4 two.mp4 all.mp4 --concat", "Join several files"),
            Example("vtx transcode - - --format ts", "From standard input to standard output"),
            Example("vtx transcode *.mov videos/ --output-dir out", "Many files"),
            Example(
                "vtx transcode videos/ --hevc --replace --max-size-ratio 0.9", "Shrink a library in place"),
            Example("vtx transcode in.mkv --explain", "The plan and its reasons"),
        ],
        run: { (given: TranscodeSettings, console: Console) throws(UsageError) -> ExitCode in
            let settings = try given.checked()
            if let plan = try settings.batch() {
                return BatchRun(plan: plan, settings: settings, console: console).run()
            }
            let run = TranscodeRun(settings, console)
            return settings.explains ? run.explain() : run.transcode()
        })
}

struct TranscodeRun: Sendable {
    let settings: TranscodeSettings
    let console: Console
    let workers: Workers
    /// Makes later jobs avoid a GPU.
    var remember: @Sendable (DriverFailure) -> Void = { QuarantinedNodes().note($0, keeps: true) }

    init(_ settings: TranscodeSettings, _ console: Console, _ workers: Workers? = nil) {
        self.settings = settings
        // If video goes to standard output, records and blocks go to standard error.
        let isTaken = settings.request.writesPipe && !settings.explains
        self.console = isTaken ? console.withoutOutput : console
        self.workers = workers ?? .live(console)
    }

    /// Transcodes and reports to the user.
    func transcode() -> ExitCode {
        let receipt: ReceiptFile?
        do throws(TranscodeError) {
            receipt = try settings.receipt.map { path throws(TranscodeError) in
                try ReceiptFile(path, settings.request)
            }
        } catch {
            makeReporter().fail(error)
            return error.exitCode
        }
        var request = settings.request
        request.digestsPipes = receipt != nil
        return run(.transcode(request), Supervision.Policy(for: request), receipt)
    }

    /// Prints the plan without writing anything.
    func explain() -> ExitCode {
        var policy = Supervision.Policy(for: settings.request)
        policy.endsAtFirstStop = true
        return run(.plan(settings.request), policy)
    }

    private func run(_ task: WorkerTask, _ policy: Supervision.Policy, _ receipt: ReceiptFile? = nil) -> ExitCode {
        let listener = TranscodeListener(self)
        defer { listener.losses.forEach(remember) }
        let order = WorkerOrder(
            task, reportsLog: settings.isVerbose && !settings.printsJSON, isSandboxed: settings.isSandboxed)
        do throws(TranscodeError) {
            switch try workers.run(order, policy, listener).get() {
            case .result(var result):
                if let absence = receipt?.absence(after: result) { result.notices.append(absence) }
                try receipt?.finish(listener.plan, result, listener.notices(of: result))
                listener.reporter.finish(result)
                return result.exitCode
            default:
                if settings.printsJSON { console.output.write(ResultRecord.success.line) }
                return .success
            }
        } catch {
            listener.reporter.fail(error.hinting(atJournalOf: settings.request, listener.output))
            return error.exitCode
        }
    }

    fileprivate func makeReporter() -> any Reporter {
        guard settings.printsJSON else { return TextReporter(console, style: style) }
        return JSONReporter(console, showsProgress: settings.progress != .none)
    }

    private var style: TextReporter.Style {
        let drawsBar =
            switch settings.progress {
            case .auto: console.terminal.redrawsLines && !settings.isQuiet
            case .bar: true
            case .ffmpeg, .json, .none: false
            }
        return TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: settings.isVerbose,
            showsSummary: !settings.isQuiet, drawsBar: drawsBar, printsBlocks: settings.progress == .ffmpeg,
            printsRecords: settings.progress == .json)
    }
}

/// Reports a worker's events to the user.
private final class TranscodeListener: WorkerListener {
    private let run: TranscodeRun
    /// The reporter of this worker; reports of an earlier one are about another output.
    private(set) var reporter: any Reporter
    private(set) var output: String?
    private(set) var plan: TranscodePlan?
    /// The failures of GPUs that only later jobs avoid: the next worker uses them at the stages that did not fail.
    private(set) var losses: [DriverFailure] = []
    /// The notices of all workers.
    private var log = NoticeLog()

    init(_ run: TranscodeRun) {
        self.run = run
        reporter = run.makeReporter()
    }

    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .transcode(.planned(let plan)) where run.settings.explains: explain(plan)
        case .transcode(let event):
            note(event)
            reporter.report(event)
        case .log(let line): reporter.relay(line)
        case .writing(let output): self.output = output
        case .using, .pipe, .capturing, .output, .answer, .result, .done, .failed: break
        }
        return true
    }

    private func note(_ event: TranscodeEvent) {
        switch event {
        case .planned(let plan):
            self.plan = plan
            _ = log.add(plan.notices)
        case .notice(let notice): _ = log.add([notice])
        case .progress, .finished: break
        }
    }

    /// All reported notices.
    func notices(of result: TranscodeResult) -> [Notice] {
        _ = log.add(result.notices)
        return log.notices
    }

    func stopping() { reporter.stopping() }

    func failed(_ failure: DriverFailure, continues: Bool) {
        remember(failure)
        guard continues else { return }
        // A worker that crashed has left its progress bar on the terminal.
        if run.console.terminal.redrawsLines { run.console.messages.write("\r\(StatusLine.erasing)") }
        reporter = run.makeReporter()
    }

    private func remember(_ failure: DriverFailure) {
        guard failure.excludesDevice else {
            if !failure.isRetried { losses.append(failure) }
            return
        }
        losses.removeAll { $0.device == failure.device }
        run.remember(failure)
    }

    private func explain(_ plan: TranscodePlan) {
        run.console.output.write(
            run.settings.printsJSON ? TranscodeEvent.planned(plan).line : PlanText.text(for: plan))
    }
}

import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct CompareRun: Sendable {
    private let settings: CompareSettings
    private let console: Console
    private let workers: Workers

    init(_ settings: CompareSettings, _ console: Console, _ workers: Workers? = nil) {
        (self.settings, self.console) = (settings, console)
        self.workers = workers ?? .live(console)
    }

    func run() -> ExitCode {
        let listener = CompareListener(
            console, printsJSON: settings.printsJSON, printsFrames: settings.printsFrames)
        do throws(TranscodeError) {
            try checkFiles()
            // There is nothing to clean up, so one signal suffices.
            let policy = Supervision.Policy(mayUseHardware: false, endsAtFirstStop: true)
            var job = settings.job
            job.replacesPicture = settings.overwrite == .replace
            let last = workers.runComparison(job, policy, listener)
            listener.endBar()
            _ = try last.get()
            // A reader of records may close the pipe, which ends the work.
            guard console.output.hasReader else { return .success }
            guard let report = listener.report else { throw TranscodeError(.internal, "the worker has no answer") }
            return try finish(report, listener)
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    private func finish(
        _ report: ComparisonReport, _ listener: CompareListener
    ) throws(TranscodeError) -> ExitCode {
        if let plot = settings.plot {
            let chart = ComparisonChart(report, listener.frames).svg
            try reportingOutputErrors { () throws(AtomicFileError) in
                try AtomicFile.write(chart, to: plot, replaces: settings.overwrite == .replace)
            }
        }
        let code = ExitCode(report.outcome)
        guard settings.printsJSON else {
            console.output.write(ComparisonText.text(for: report))
            return code
        }
        var result = ResultRecord(code, notices: listener.notices)
        result.output = settings.plot ?? settings.job.picture
        console.output.write(ComparisonRecord(report: report).line + result.line)
        return code
    }

    /// Checks before the work, which may take as long as a transcode.
    private func checkFiles() throws(TranscodeError) {
        if settings.job.picture != nil, settings.job.metrics == [.vmaf] {
            throw TranscodeError(
                .conflict, "--picture requires a metric other than vmaf, whose values are known only at the end",
                hint: "for example --metric vmaf,ssim")
        }
        let files = [("chart", settings.plot), ("picture", settings.job.picture)]
        for case (let kind, let file?) in files {
            try reportingOutputErrors { () throws(AtomicFileError) in
                for source in [settings.job.original, settings.job.output] {
                    try AtomicFile.checkDistinct(source: source, output: file)
                }
            }
            guard settings.overwrite == .replace || !AtomicFile.exists(file) else {
                throw TranscodeError(
                    .outputExists, "the \(kind) '\(file)' exists already",
                    hint: "\(option: .overwrite, "replace") replaces it")
            }
        }
    }
}

extension Workers {
    fileprivate func runComparison(
        _ job: ComparisonJob, _ policy: Supervision.Policy, _ listener: CompareListener
    ) -> Supervision.Outcome {
        do throws(TranscodeError) { return try run(WorkerOrder(.compare(job)), policy, listener) } catch {
            return .failure(error)
        }
    }
}

/// Collects the results of a comparison and shows its progress.
private final class CompareListener: WorkerListener {
    private(set) var report: ComparisonReport?
    private(set) var frames: [ComparedFrame] = []
    private(set) var notices: [Notice] = []
    private let console: Console
    private let printsJSON: Bool
    private let printsFrames: Bool
    private var cadence: ProgressThrottle
    private var bar: StatusLine

    init(_ console: Console, printsJSON: Bool, printsFrames: Bool) {
        (self.console, self.printsJSON, self.printsFrames) = (console, printsJSON, printsFrames)
        cadence = ProgressThrottle(interval: printsJSON ? 0.5 : 0.1)
        bar = StatusLine(console)
    }

    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .answer(.comparedFrames(let more)):
            frames += more
            if printsFrames { console.output.write(more.map { ComparedFrameRecord(frame: $0).line }.joined()) }
        case .answer(.compared(let report)): self.report = report
        case .transcode(.notice(let notice)): add(notice)
        case .transcode(.progress(let progress)): if cadence.admits(progress) { show(progress) }
        default: break
        }
        return console.output.hasReader
    }

    func endBar() { bar.erase() }

    private func add(_ notice: Notice) {
        endBar()
        notices.append(notice)
        console.say(.warning, notice.message.withFlags)
        if printsJSON { console.output.write(TranscodeEvent.notice(notice).line) }
    }

    private func show(_ progress: Progress) {
        if printsJSON { return console.output.write(TranscodeEvent.progress(progress).line) }
        if console.terminal.redrawsLines { bar.draw { ProgressLine.text(for: progress, width: $0) } }
    }
}

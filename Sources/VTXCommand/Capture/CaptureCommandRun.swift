import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

struct CaptureCommandRun: Sendable {
    private let settings: CaptureSettings
    private let console: Console
    private let workers: Workers

    init(_ settings: CaptureSettings, _ console: Console, _ workers: Workers? = nil) {
        self.settings = settings
        // If video goes to standard output, records go to standard error.
        self.console = settings.order.writesPipe ? console.withoutOutput : console
        self.workers = workers ?? .live(console)
    }

    func run() -> ExitCode {
        let listener = CaptureListener(settings, console)
        let policy = Supervision.Policy(
            mayUseHardware: settings.request.hardware != .off && RenderNodes.exist, secondRun: .impossible)
        do throws(TranscodeError) {
            let last = try workers.run(WorkerOrder(.capture(settings.order)), policy, listener).get()
            guard case .result(let result) = last else { return .success }
            listener.reporter.finish(result)
            return result.exitCode
        } catch {
            listener.reporter.fail(error)
            return error.exitCode
        }
    }
}

/// Reports the recording to the user.
private final class CaptureListener: WorkerListener {
    let reporter: any Reporter
    private let settings: CaptureSettings
    private let console: Console

    init(_ settings: CaptureSettings, _ console: Console) {
        (self.settings, self.console) = (settings, console)
        let style = TextReporter.Style(
            showsNotices: !settings.isQuiet, showsDecisions: false, showsSummary: !settings.isQuiet,
            drawsBar: console.terminal.redrawsLines && !settings.isQuiet, printsBlocks: false)
        reporter = settings.printsJSON ? JSONReporter(console) : TextReporter(console, style: style)
    }

    func report(_ event: WorkerEvent) -> Bool {
        switch event {
        case .capturing(let description): begin(description)
        case .transcode(let event): reporter.report(event)
        case .log(let line): reporter.relay(line)
        default: break
        }
        return true
    }

    func stopping() { reporter.stopping() }

    private func begin(_ description: CaptureDescription) {
        if settings.printsJSON { return console.output.write(ValueRecord(type: "capture", value: description).line) }
        if !settings.isQuiet { reporter.relay(description.line) }
    }
}

extension CaptureDescription {
    /// `recording /dev/video0: 1280x720 MJPG, 30 fps, to out.mp4: H.264 by software (libavcodec)`.
    fileprivate var line: String {
        let decoding = decoder.map { "decoded by \($0), " } ?? ""
        let names = outputs.map { $0 == StandardStream.path ? StandardStream.output($0) : $0 }.joined(separator: ", ")
        return
            "recording \(device) (\(format), \(size), \(Format.rate(frameRate)) fps\(audio.map { ", \($0)\(copiesAudio == true ? " copied" : "")" } ?? "")) to \(names): \(decoding)\(codec) by \(encoder)"
    }
}

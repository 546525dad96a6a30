import Glibc
import VTX
import VTXTask
import VTXTranscode

/// One run of `vtx probe`, from the settings to the exit code.
struct ProbeRun: Sendable {
    let settings: ProbeSettings
    let console: Console
    /// Looks at the devices; tests put something else in its place.
    var probe: @Sendable (ProbeSettings, ProbeChildren) throws(TranscodeError) -> ProbeReport = Self.live
    var link: WorkerLink? = .own
    /// Has a signal end it all; see `stopOnSignal`.
    var watch: SignalWatch = stopOnSignal

    func run() -> ExitCode {
        if let link, let task = ProbeTask.inherited(link) { return task.perform(link) }
        do throws(TranscodeError) {
            var children = try ProbeChildren.live(for: "probe")
            // Before there is another thread.
            if !settings.tries { children.begin(settings.device) }
            watch(console, settings.printsJSON) {}
            let report = try probe(settings, children)
            console.output.write(settings.printsJSON ? records(report) : ProbeText.text(for: report))
            guard report.hasUsableHardware else { throw .nothingUsable(report) }
            if settings.printsJSON { console.output.write(ResultRecord.success.line) }
            return .success
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    private static let live: @Sendable (ProbeSettings, ProbeChildren) throws(TranscodeError) -> ProbeReport = {
        settings, children throws(TranscodeError) in
        let ask = settings.tries ? children.ask : children.askUnlessFaulty
        let probe = Probe(ask: ask, attempt: settings.tries ? children.attempt : nil, loads: children.loads)
        return try probe.run(device: settings.device)
    }

    private func records(_ report: ProbeReport) -> String {
        report.devices.map { DeviceRecord($0).line }.joined() + ProbeRecord(report).line
    }
}

extension ProbeChildren {
    /// This program once more, with one of its commands.
    static func live(for command: String) throws(TranscodeError) -> ProbeChildren {
        // A few frames take no driver as long as a whole clip may.
        let text = getenv(Supervisor.timeoutVariable).map { String(cString: $0) } ?? "10"
        return ProbeChildren(
            launch: .same(with: [CommandLine.arguments.first ?? "vtx", command]),
            seconds: try Supervisor.timeout(text) ?? .infinity)
    }
}

typealias SignalWatch = @Sendable (Console, _ asJSON: Bool, _ cleanUp: @escaping @Sendable () -> Void) -> Void

/// Little is under way that would have to be put in order first, so one signal is enough.
let stopOnSignal: SignalWatch = { console, asJSON, cleanUp in
    StopSignals.watch(
        first: { stop in
            cleanUp()
            _ = console.report(stop.error, asJSON: asJSON)
            stop.endProcess()
        },
        second: { _ in })
}

extension TranscodeError {
    /// The first reason stands for all; the others are in the report.
    static func nothingUsable(_ report: ProbeReport) -> TranscodeError {
        let message: Message = "no GPU here can be used"
        if report.devices.contains(where: { $0.isHardware && $0.rows.contains(where: \.isUsed) }) {
            return TranscodeError(
                .hardwareTrial, "\(message): nothing that its driver promises came out right when tried",
                hint: "vtx doctor writes a report to attach to a bug")
        }
        let problem = (report.problems + report.devices.flatMap(\.problems)).first
        return TranscodeError(
            .hardwareNone, problem.map { "\(message): \($0.message)" } ?? message,
            hint: problem?.hint ?? "vtx works in software here")
    }
}

import VTXMedia
import VTXProbe
import VTXTask

/// One run of `vtx probe`, from the settings to the exit code.
struct ProbeRun: Sendable {
    let settings: ProbeSettings
    let console: Console
    /// Looks at the devices; tests put something else in its place.
    var probe: @Sendable (ProbeSettings) throws(TranscodeError) -> ProbeReport = Self.live

    func run() -> ExitCode {
        do throws(TranscodeError) {
            let report = try probe(settings)
            console.output.write(settings.printsJSON ? records(report) : ProbeText.text(for: report))
            guard report.hasUsableHardware else { throw .nothingUsable(report) }
            if settings.printsJSON { console.output.write(ResultRecord.success.line) }
            return .success
        } catch {
            return console.report(error, asJSON: settings.printsJSON)
        }
    }

    private static let live: @Sendable (ProbeSettings) throws(TranscodeError) -> ProbeReport = {
        settings throws(TranscodeError) in
        let processes = try ProbeProcesses.live()
        let probe =
            settings.tries
            ? Probe(ask: processes.ask, assess: processes.assess, attempt: processes.attempt)
            : Probe(ask: processes.askUnlessFaulty, assess: processes.assess)
        return try probe.run(device: settings.device)
    }

    private func records(_ report: ProbeReport) -> String {
        report.devices.map { DeviceRecord($0).line }.joined() + ProbeRecord(report).line
    }
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

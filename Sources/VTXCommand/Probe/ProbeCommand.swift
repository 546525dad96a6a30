import VTXMedia
import VTXProbe
import VTXTask

/// What `vtx probe` was told.
struct ProbeSettings: CommandSettings {
    var device = DeviceSelector.auto
    var tries = false
    var printsJSON = false

    init() {}
}

extension Grammar where Settings == ProbeSettings {
    static let probe = Grammar(groups: [
        OptionGroup(
            "Options",
            [
                .value(
                    "device", .device, into: \.device,
                    "The GPU to look at: auto for all, a render node such as /dev/dri/renderD128, pci:ADDRESS, "
                        + "or vendor: with a name or a number."),
                .flag(
                    "trial", sets: \.tries, to: true,
                    "Also encode and decode a few frames with each row of the tables, and compare the pictures: what "
                        + "a driver says and what it does are two columns."),
                .flag(
                    "json", sets: \.printsJSON, to: true,
                    "Print JSON records, one a line: a device for each device, a probe, then a result."),
            ])
    ])
}

extension Command {
    static let probe = Command(
        "probe", "show what the GPUs here can do, and what vtx would use",
        details: [
            "Asks the driver of every render node what it decodes and encodes, and says what vtx would choose, and why. "
                + "Where a GPU cannot be used, it says why, and what helps.",
            "Each driver is asked and tried in a process of its own, so one that crashes or hangs is a row in the table. "
                + "The exit code is 0 where a GPU can be used, and 5 where vtx has the software alone.",
        ],
        grammar: .probe,
        examples: [
            Example("vtx probe", "Every GPU, and what vtx would do"),
            Example("vtx probe --trial --device /dev/dri/renderD128", "Does that GPU do what its driver says?"),
            Example("vtx probe --json | jq 'select(.type == \"device\")'", "For programs"),
        ],
        run: { settings, console throws(UsageError) in
            ProbeRun(settings: settings, console: console).run()
        })
}

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

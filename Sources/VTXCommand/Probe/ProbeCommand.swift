import VTXMedia
import VTXProbe
import VTXTask

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
                    "GPU to probe: auto for all, a render node such as /dev/dri/renderD128, pci:ADDRESS, or vendor: "
                        + "followed by a name or a number."),
                .flag(
                    "trial", sets: \.tries, to: true,
                    "Also encode and decode a few frames with each profile and compare the pictures. The table then "
                        + "has a column for what the driver claims and one for what it does. Software is tested too, "
                        + "unless --device names a GPU."),
                .flag(
                    "json", sets: \.printsJSON, to: true,
                    "Print JSON records, one per line: each device, the probe, then the result."),
            ])
    ])
}

extension Command {
    static let probe = Command(
        "probe", "show what the GPUs can do and what vtx would use",
        details: [
            "Asks the driver of every render node what it decodes and encodes, and shows what vtx would choose and "
                + "why. If a GPU cannot be used, it shows the cause and the fix.",
            "Each driver runs in its own process, so a crash or hang is a result like any other. The exit code is 0 if "
                + "a GPU can be used and 5 if there is only software.",
        ],
        grammar: .probe,
        examples: [
            Example("vtx probe", "All GPUs, and what vtx would use"),
            Example("vtx probe --trial --device /dev/dri/renderD128", "Test what one driver claims"),
            Example("vtx probe --json | jq 'select(.type == \"device\")'", "For programs"),
        ],
        run: { settings, console throws(UsageError) in
            ProbeRun(settings: settings, console: console).run()
        })
}

struct ProbeRun: Sendable {
    let settings: ProbeSettings
    let console: Console
    /// Probes the devices; tests replace it.
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
    /// Reports the first reason; the others are in the report.
    static func nothingUsable(_ report: ProbeReport) -> TranscodeError {
        let message: Message = "no GPU here can be used"
        if report.devices.contains(where: { $0.isHardware && $0.rows.contains(where: \.isUsed) }) {
            return TranscodeError(
                .hardwareTrial, "\(message): its driver failed every trial",
                hint: "vtx doctor writes a report to attach to a bug")
        }
        let problem = (report.problems + report.devices.flatMap(\.problems)).first
        return TranscodeError(
            .hardwareNone, problem.map { "\(message): \($0.message)" } ?? message,
            hint: problem?.hint ?? "vtx works in software here")
    }
}

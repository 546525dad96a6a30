import VTXMedia
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

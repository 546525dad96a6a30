import VTXMedia
import VTXTask

/// What `vtx doctor` was told.
struct DoctorSettings: CommandSettings {
    var device = DeviceSelector.auto
    var output: String?
    var overwrites = false
    var printsJSON = false

    init() {}
}

extension Grammar where Settings == DoctorSettings {
    static let doctor = Grammar(groups: [
        OptionGroup(
            "Options",
            [
                .value(
                    "device", .device, into: \.device,
                    "The GPU to examine: auto for all, a render node such as /dev/dri/renderD128, pci:ADDRESS, "
                        + "or vendor: with a name or a number."),
                .optional(
                    "output", .filePath("FILE"), into: \.output,
                    "Where the report goes. By default vtx-doctor-DATE.txt in this directory."),
                .flag(
                    "overwrite", short: "y", sets: \.overwrites, to: true, "Replace a report that is there already."),
                .flag(
                    "json", sets: \.printsJSON, to: true,
                    "Print JSON records, one a line: a step for each thing that was done, then a result."),
            ])
    ])
}

extension Command {
    static let doctor = Command(
        "doctor", "try everything, and write a report to attach to a bug",
        details: [
            "Looks at the system and its GPUs, tries everything that their drivers promise, and transcodes a short clip of "
                + "its own with each GPU and in software. What came of it is printed, and goes into one file with "
                + "all the details.",
            "The file holds versions, GPUs, drivers' answers and numbers of user and groups, but no name of a user "
                + "or of the machine. The exit code is 0 where all of it works, 5 where a GPU does not or there is "
                + "none, and 1 where even the software fails.",
        ],
        grammar: .doctor,
        examples: [
            Example("vtx doctor", "Writes vtx-doctor-DATE.txt"),
            Example("vtx doctor --output report.txt -y", "Writes it where you want it"),
        ],
        run: { settings, console throws(UsageError) in
            DoctorRun(settings: settings, console: console).run()
        })
}

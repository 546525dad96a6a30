import VTXTask

/// A device in `vtx probe --json`, described by `docs/probe.schema.json`.
struct DeviceRecord: Record {
    let type = "device"
    let report: DeviceReport

    init(_ report: DeviceReport) {
        self.report = report
    }

    private enum Key: CodingKey {
        case type
        case isUsable
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(type, forKey: .type)
        try container.encode(report.isUsable, forKey: .isUsable)
    }
}

/// The summary of all devices.
struct ProbeRecord: Record {
    let type = "probe"
    let version = Program.version
    let hasUsableHardware: Bool
    let problems: [ProbeProblem]
    let choices: [ProbeChoice]

    init(_ report: ProbeReport) {
        hasUsableHardware = report.hasUsableHardware
        problems = report.problems
        choices = report.choices
    }
}

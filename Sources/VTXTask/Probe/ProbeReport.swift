package import VTXMedia

/// What this machine has for video, and what vtx would make of it.
package struct ProbeReport: Sendable, Hashable, Codable {
    /// GPUs first, by PCI address; the software is the last one.
    package var devices: [DeviceReport]
    /// Of the machine as a whole: there is no device to blame.
    package var problems: [ProbeProblem]
    package var choices: [ProbeChoice]

    package init(devices: [DeviceReport], problems: [ProbeProblem] = [], choices: [ProbeChoice] = []) {
        self.devices = devices
        self.problems = problems
        self.choices = choices
    }

    /// With what the trials say of each choice.
    package var judged: ProbeReport {
        var report = self
        for index in choices.indices {
            report.choices[index].failedTrial = !devices.allSatisfy(choices[index].isKept(by:))
        }
        return report
    }

    /// Whether a GPU can be used for anything.
    package var hasUsableHardware: Bool { devices.contains { $0.isHardware && $0.isUsable } }
}

/// What a transcode would be done with, and why.
package struct ProbeChoice: Sendable, Hashable, Codable {
    /// What is asked for beyond the defaults: `--h264`; empty for nothing.
    package var options: Message
    /// libavcodec's name: `h264`.
    package var codec: String
    package var codecReason: Message
    package var device: String
    package var deviceName: String
    package var isHardware: Bool
    package var deviceReason: Message
    /// Of the encoder that is opened first; nil in software.
    package var entrypoint: String?
    package var rateControl: String?
    /// True where it was tried, and does not do what its driver says.
    package var failedTrial = false

    package init(
        options: Message, codec: String, codecReason: Message, device: String, deviceName: String, isHardware: Bool,
        deviceReason: Message
    ) {
        self.options = options
        self.codec = codec
        self.codecReason = codecReason
        self.device = device
        self.deviceName = deviceName
        self.isHardware = isHardware
        self.deviceReason = deviceReason
    }

    /// False for a device that was to do it, and was tried in vain.
    fileprivate func isKept(by report: DeviceReport) -> Bool {
        guard report.device == device else { return true }
        let rows = report.rows.filter {
            $0.direction == .encode && $0.codec == codec && $0.entrypoint == entrypoint && $0.trial != nil
        }
        return rows.isEmpty || rows.contains(where: \.isUsable)
    }
}

/// What is known of a render node without the library: who uses it, and what its driver said.
package struct NodeSurvey: Sendable, Hashable, Codable {
    /// The render node.
    package var path: String
    /// Other processes that have the node open.
    package var processes: Int
    /// Of the time, in percent, in which the GPU worked for one of them; nil where the kernel does not count that.
    package var busyPercent: Int?
    package var probe: NodeProbe

    package init(path: String, processes: Int, busyPercent: Int?, probe: NodeProbe) {
        self.path = path
        self.processes = processes
        self.busyPercent = busyPercent
        self.probe = probe
    }
}

/// What came of asking one render node's driver: text, so that it can be asked in another process.
package struct NodeProbe: Sendable, Hashable, Codable {
    /// All that the driver said, in the format of `DriverCapabilities.text`; nil where there is no driver that answers.
    package var answers: String?
    package var problems: [ProbeProblem]

    package init(answers: String? = nil, problems: [ProbeProblem]) {
        self.answers = answers
        self.problems = problems
    }
}

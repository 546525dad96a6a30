package import VTXMedia

/// The video devices of this machine, and what vtx would use them for.
package struct ProbeReport: Sendable, Hashable, Codable {
    /// GPUs by PCI address, then software.
    package var devices: [DeviceReport]
    /// Problems of the machine as a whole, not of one device.
    package var problems: [ProbeProblem]
    package var choices: [ProbeChoice]

    package init(devices: [DeviceReport], problems: [ProbeProblem] = [], choices: [ProbeChoice] = []) {
        self.devices = devices
        self.problems = problems
        self.choices = choices
    }

    /// The report with the self-tests' results applied to each choice.
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

/// The device that a transcode would use, and why.
package struct ProbeChoice: Sendable, Hashable, Codable {
    /// The options besides the defaults: `--h264`; empty for none.
    package var options: Message
    /// libavcodec's name: `h264`.
    package var codec: String
    package var codecReason: Message
    package var device: String
    package var deviceName: String
    package var isHardware: Bool
    package var deviceReason: Message
    /// The entrypoint of the encoder that is opened first; nil for software.
    package var entrypoint: String?
    package var rateControl: String?
    /// Whether the self-test failed although the driver claims support.
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

    /// false for a device that was chosen but failed its self-test.
    fileprivate func isKept(by report: DeviceReport) -> Bool {
        guard report.device == device else { return true }
        let rows = report.rows.filter {
            $0.direction == .encode && $0.codec == codec && $0.entrypoint == entrypoint && $0.trial != nil
        }
        return rows.isEmpty || rows.contains(where: \.isUsable)
    }
}

/// The state of a render node known without the library: its users, and its driver's answers.
package struct NodeSurvey: Sendable, Hashable, Codable {
    /// The render node.
    package var path: String
    /// The number of other processes that have the node open.
    package var processes: Int
    /// How busy the GPU is with their work, in percent; nil if the kernel does not report it.
    package var busyPercent: Int?
    package var probe: NodeProbe

    package init(path: String, processes: Int, busyPercent: Int?, probe: NodeProbe) {
        self.path = path
        self.processes = processes
        self.busyPercent = busyPercent
        self.probe = probe
    }
}

/// The result of querying a render node's driver, as text, so that another process can query it.
package struct NodeProbe: Sendable, Hashable, Codable {
    /// The driver's answers, in the format of `DriverCapabilities.text`; nil without a working driver.
    package var answers: String?
    package var problems: [ProbeProblem]

    package init(answers: String? = nil, problems: [ProbeProblem]) {
        self.answers = answers
        self.problems = problems
    }
}

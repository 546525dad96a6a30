import VTXMedia
import VTXSession
import VTXTask

/// GPUs that are here, that the request would allow, and that cannot be used: the user hears why.
struct UnusableHardware {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]

    init(_ request: TranscodeRequest, _ backends: [any VideoBackend]) {
        self.request = request
        self.backends = backends
    }

    /// Looked for only when it is reported: it costs a survey of the machine.
    private var devices: [UnusableDevice] {
        guard request.mayUseHardware else { return [] }
        return backends.flatMap { $0.unusableDevices() }.filter { request.device.selects($0.selectors) }
    }

    /// Whether what was asked for is here, with a driver that failed before: that is no error of the request.
    var isFaulty: Bool { devices.contains(where: \.isFaulty) }

    var reason: String? {
        let reasons = devices.map(\.reason)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
    var hint: Message? { devices.compactMap(\.hint).first }

    /// Software does what they were to do.
    func note(_ notes: inout PlanNotes) {
        for device in untold { notes.note(.fallbackDevice, "the GPU is not used: \(device.explanation)") }
    }

    /// Another GPU does what they were to do: of those that failed the user hears.
    func noteFaulty(_ notes: inout PlanNotes) {
        for device in untold where device.isFaulty {
            notes.note(.hardwareSkipped, "a GPU is left alone: \(device.explanation)")
        }
    }

    /// Of one that has just failed on this job more is said elsewhere.
    private var untold: [UnusableDevice] {
        request.hardwareFault == nil ? devices : devices.filter { !$0.isFaulty }
    }
}

extension UnusableDevice {
    fileprivate var explanation: Message { "\(reason)" + (hint.map { "; \($0)" } ?? "") }
}

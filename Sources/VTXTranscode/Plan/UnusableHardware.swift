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

    /// Found out only where somebody is to be told: it takes looking around.
    private var devices: [UnusableDevice] {
        guard request.mayUseHardware else { return [] }
        return backends.flatMap { $0.unusableDevices() }.filter { request.device.selects($0.selectors) }
    }

    var reason: String? {
        let reasons = devices.map(\.reason)
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }
    var hint: Message? { devices.compactMap(\.hint).first }

    /// Software does what they were to do.
    func note(_ notes: inout PlanNotes) {
        for device in devices {
            let hint = device.hint.map { "; \($0)" } ?? ""
            notes.note(.fallbackDevice, "the GPU is not used: \(device.reason)\(hint)")
        }
    }
}

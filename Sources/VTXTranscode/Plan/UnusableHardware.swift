import VTXMedia
import VTXSession

/// GPUs that are here, that the request would allow, and that cannot be used: the user hears why.
struct UnusableHardware {
    private let devices: [UnusableDevice]

    init(_ request: TranscodeRequest, _ backends: [any VideoBackend]) {
        let all = request.mayUseHardware ? backends.flatMap { $0.unusableDevices() } : []
        devices = all.filter { request.device.selects($0.selectors) }
    }

    var reason: String? { devices.isEmpty ? nil : devices.map(\.reason).joined(separator: "; ") }
    var cure: String? { devices.compactMap(\.cure).first }

    /// Software does what they were to do.
    func note(_ notes: inout PlanNotes) {
        for device in devices {
            let cure = device.cure.map { "; \($0)" } ?? ""
            notes.fall("device", "the GPU is not used: \(device.reason)\(cure)")
        }
    }
}

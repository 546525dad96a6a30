import VTXJSON
import VTXJobs

/// An action of an administrator on a GPU.
enum DeviceAction: String, Sendable {
    case test
    case release
}

/// Performs actions on the GPUs of this host.
struct DeviceControl: Sendable {
    let loop: JobLoop
    let catalog: DeviceCatalog

    /// - Returns: the response for clients.
    func perform(_ action: DeviceAction, on device: String) throws(Problem) -> JSONValue {
        let gpu = try gpu(device)
        return switch action {
        case .test: try tested(gpu)
        case .release: try released(gpu)
        }
    }

    func list() throws(Problem) -> [JSONValue] { catalog.json(try status()) }

    private func status() throws(Problem) -> DeviceStatus {
        guard let status = loop.deviceStatus() else {
            throw Problem(503, "service.busy", "the devices did not respond in time")
        }
        return status
    }

    /// Returns a GPU that gets jobs, or would if it were healthy.
    private func gpu(_ name: String) throws(Problem) -> DeviceName {
        guard let found = catalog.all.first(where: { $0.device.name.text == name }) else {
            throw Problem.notFound("device", name)
        }
        if found.device.name == .cpu {
            throw Problem(409, "device.software", "software can be neither tested nor quarantined")
        }
        guard found.isUsable else {
            throw Problem(
                409, "device.unusable", "'\(name)' cannot be used",
                hint: "its 'report' in /v1/devices says why; a restart probes it again")
        }
        return found.device.name
    }

    private func tested(_ device: DeviceName) throws(Problem) -> JSONValue {
        guard let test = loop.test(device) else {
            throw Problem(503, "service.stopping", "the server is stopping, or the test took too long")
        }
        let health = try status().health[device]?.state.rawValue
        return .members([
            "device": .string(device.text), "passed": .bool(test.failure == nil),
            "error": JobRecord.failure(test.failure), "health": .string(health ?? ""), "trials": .array(test.trials),
        ])
    }

    private func released(_ device: DeviceName) throws(Problem) -> JSONValue {
        loop.send(.event(.releaseDevice(device)))
        return try list().first { $0["device"]?.string == device.text } ?? [:]
    }
}

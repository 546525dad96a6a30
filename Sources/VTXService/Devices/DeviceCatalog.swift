import VTXJSON
import VTXJobs
import VTXSystem

/// The devices of this host, as they were probed.
final class DeviceCatalog: Sendable {
    private let probed = Locked<[ProbedDevice]>([])
    private let runner: any JobRunner

    init(_ runner: any JobRunner) { self.runner = runner }

    var all: [ProbedDevice] { probed.withLock { $0 } }
    var usable: [Device] { all.filter(\.isUsable).map(\.device) }

    /// Asks the drivers.
    func probe() { let found = runner.devices(); probed.withLock { $0 = found } }

    /// Devices with their health and load, as clients see them.
    func json(_ status: DeviceStatus) -> [JSONValue] { all.map { json($0, status) } }

    private func json(_ probed: ProbedDevice, _ status: DeviceStatus) -> JSONValue {
        let name = probed.device.name
        let health = status.health[name]
        let engines = probed.device.capacity.keys.sorted().map { engine -> JSONValue in
            let id = EngineID(name, engine)
            return .members([
                "engine": .string(engine), "capacity": .number(status.capacity[id] ?? 0),
                "load": .number(status.load[id] ?? 0),
            ])
        }
        return .members([
            "device": .string(name.text), "name": probed.report["name"] ?? .string(name.text),
            "isHardware": .bool(name != .cpu), "isUsable": .bool(probed.isUsable),
            "health": .string(health?.state.rawValue ?? (probed.isUsable ? "healthy" : "unusable")),
            "quarantinedUntil": .time(health?.quarantinedUntil),
            "faults": .array((health?.faults ?? []).map(Self.json)), "engines": .array(engines),
            "jobs": .array((status.jobs[name] ?? []).map { .string($0.text) }), "report": probed.report,
        ])
    }

    private static func json(_ fault: DeviceHealth.Fault) -> JSONValue {
        .members(["time": .time(fault.at), "code": .string(fault.code), "message": .string(fault.message)])
    }
}

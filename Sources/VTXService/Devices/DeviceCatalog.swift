import Glibc
import VTXJSON
package import VTXJobs
import VTXSystem

/// The devices of this host, as probed.
final class DeviceCatalog: Sendable {
    private let probed = Locked<[ProbedDevice]>([])
    private let runner: any JobRunner

    init(_ runner: any JobRunner) { self.runner = runner }

    var all: [ProbedDevice] { probed.withLock { $0 } }
    var usable: [Device] { all.filter(\.isUsable).map(\.device) }

    /// Probes the drivers.
    func probe() { let found = runner.devices(); probed.withLock { $0 = found } }

    /// Returns the devices with their health and load, as for clients.
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

/// Reads devices from the output of `vtx probe --json`.
extension CommandRunner {
    package func devices() -> [ProbedDevice] {
        let records = (try? probe(["--json"], "probe", RunControl())) ?? []
        let gpus = records.filter { $0["type"]?.string == "device" && $0["isHardware"]?.bool == true }
        let software = records.first { $0["type"]?.string == "device" && $0["isHardware"]?.bool == false }
        let cpu = ProbedDevice(
            device: .cpu(cores: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))),
            report: software ?? ["name": "software"], isUsable: true)
        return [cpu] + gpus.map(Self.gpu)
    }

    private static func gpu(_ record: JSONValue) -> ProbedDevice {
        let rows = (record["rows"]?.array ?? []).filter { $0["isUsed"]?.bool == true }
        var abilities: [Stage: Set<String>] = [:]
        for row in rows {
            let stage: Stage = row["direction"]?.string == "encode" ? .encode : .decode
            abilities[stage, default: []].insert(row["codec"]?.string ?? "")
        }
        abilities[.process] = ["scale"]
        return ProbedDevice(
            device: .gpu(DeviceName(record["device"]?.string ?? ""), abilities: abilities), report: record,
            isUsable: record["isUsable"]?.bool ?? false)
    }

    package func selfTest(_ device: DeviceName, _ control: RunControl) -> DeviceTest {
        do {
            // Several devices may be tested at one time.
            let name = "selftest." + device.text.replacing("/", with: "-")
            let records = try probe(["--json", "--trial", "--device=\(device.text)"], name, control)
            let reports = records.filter { $0["type"]?.string == "device" && $0["isHardware"]?.bool == true }
            let rows = reports.flatMap { $0["rows"]?.array ?? [] }
            var test = DeviceTest(trials: rows.compactMap(Self.trial) + reports.compactMap(Self.processing))
            if !rows.contains(where: { $0["isUsed"]?.bool == true }) {
                let message = reports.compactMap(Self.problem).first ?? "every self-test failed"
                test.failure = Failure(.device, "device.selfTest", message, device: device)
            }
            return test
        } catch { return DeviceTest(failure: Failure(.device, "device.selfTest", "\(error)", device: device)) }
    }

    /// Returns the test result of a row of capabilities; nil if it was not tested.
    private static func trial(_ row: JSONValue) -> JSONValue? {
        guard let trial = row["trial"] else { return nil }
        let names = ["direction", "codec", "profile", "entrypoint"]
        let known = names.compactMap { name in row[name].map { (name, $0) } }
        return .object(Dictionary(known) { first, _ in first }.merging(trial.object ?? [:]) { first, _ in first })
    }

    private static func processing(_ report: JSONValue) -> JSONValue? {
        guard let trial = report["processing"]?["trial"]?.object else { return nil }
        return .object(trial.merging(["direction": "process"]) { first, _ in first })
    }

    private static func problem(_ report: JSONValue) -> String? {
        guard let problem = report["problems"]?.array?.first else { return nil }
        return problem["message"]?.string ?? problem.string
    }

    private func probe(_ arguments: [String], _ name: String, _ control: RunControl) throws -> [JSONValue] {
        let worker = try start(["probe"] + arguments, "\(directory)/\(name)")
        var records: [JSONValue] = []
        _ = try follow(worker, control) { records.append($0.value) }
        return records
    }
}

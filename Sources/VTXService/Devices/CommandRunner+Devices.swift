import Glibc
import VTXJSON
package import VTXJobs
import VTXSystem

/// Devices, as `vtx probe --json` tells of them.
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

    package func selfTest(_ device: DeviceName, _ control: RunControl) -> Failure? {
        do {
            let records = try probe(["--json", "--trial", "--device=\(device.text)"], "selftest", control)
            let rows = records.filter { $0["type"]?.string == "device" }.flatMap { $0["rows"]?.array ?? [] }
            if rows.contains(where: { $0["isUsed"]?.bool == true }) { return nil }
            return Failure(.device, "device.selfTest", "nothing came out right in the self-test", device: device)
        } catch { return Failure(.device, "device.selfTest", "\(error)", device: device) }
    }

    private func probe(_ arguments: [String], _ name: String, _ control: RunControl) throws -> [JSONValue] {
        let worker = try start(["probe"] + arguments, "\(directory)/\(name)")
        var records: [JSONValue] = []
        _ = try follow(worker, control) { records.append($0) }
        return records
    }
}

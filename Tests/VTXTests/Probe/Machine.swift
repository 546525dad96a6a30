import VTXLibVA
import VTXMedia
import VTXProbe
import VTXTranscode
import VTXVAAPI
import VTXTask

@testable import VTX

/// A machine with simulated GPUs and recorded driver capabilities.
struct Machine {
    private let gpus: [(device: PCIDeviceID, kernelDriver: String, answers: String)]

    /// - Parameter fixtures: names in Tests/Fixtures/capabilities.
    init(_ fixtures: String...) throws {
        gpus = try fixtures.map { name in
            let folder = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
            guard let text = SystemView.live.read("\(folder)/Fixtures/capabilities/\(name).txt"),
                let device = Self.device(in: text)
            else { throw NoFixture() }
            return (device, device.vendor == .intel ? "i915" : "amdgpu", text)
        }
    }

    struct NoFixture: Error {}

    /// From the first line: `# Tiger Lake, device 8086:9a49; ...`.
    private static func device(in text: String) -> PCIDeviceID? {
        let words = text.prefix { $0 != ";" }.split { $0 == " " || $0 == ":" }.suffix(2)
        let numbers = words.compactMap { UInt16($0, radix: 16) }
        return numbers.count == 2 ? PCIDeviceID(vendor: PCIVendor(rawValue: numbers[0]), device: numbers[1]) : nil
    }

    static func path(_ index: Int) -> String { "/dev/dri/renderD\(128 + index)" }

    var system: SystemView {
        let gpus = gpus
        let devices = gpus.enumerated().map { index, gpu in
            DRMDevice(
                renderPath: Self.path(index), cardPath: "/dev/dri/card\(index)",
                address: PCIAddress("0\(index + 1):00.0"),
                deviceID: gpu.device)
        }
        return SystemView(
            read: { _ in nil }, list: { _ in [] },
            permissions: { _ in FilePermissions(owner: 0, group: 105, mode: 0o660) },
            linkTarget: { path in
                gpus.indices.first { path.contains("renderD\(128 + $0)/") }.map { "drivers/\(gpus[$0].kernelDriver)" }
            },
            drmDevices: { devices }, drmVersionName: { _ in nil }, environment: { _ in nil },
            process: SystemView.Process(user: 1000, groups: [1000]), userName: { _ in nil }, groupName: { _ in nil })
    }

    /// - Parameter loads: the load of each GPU.
    func probe(
        loads: [RenderNodeLoad] = [], problems: [ProbeProblem] = [],
        attempt: (@Sendable (SelfTestCase) -> SelfTestResult)? = nil
    ) -> Probe {
        let (gpus, system) = (gpus, system)
        var probe = Probe(
            ask: { paths in
                paths.map { path in
                    let index = gpus.indices.first { Self.path($0) == path }
                    return NodeProbe(answers: index.map { gpus[$0].answers }, problems: problems)
                }
            }, assess: { Assessment.report(of: $0, in: system) }, attempt: attempt)
        probe.measure = { nodes in
            nodes.indices.map { loads.indices.contains($0) ? loads[$0] : RenderNodeLoad(processes: 0) }
        }
        return probe
    }
}

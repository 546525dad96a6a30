import Testing
import VTXLibVA
import VTXMedia

@Suite("Render nodes")
struct RenderNodeTests {
    @Test("PCI devices are in order of address, before those that libdrm does not describe")
    func order() {
        var system = FakeSystem()
        system.devices = [
            DRMDevice(
                renderPath: "/dev/dri/renderD128", cardPath: "/dev/dri/card0", address: PCIAddress("03:00.0"),
                deviceID: .navi21),
            DRMDevice(renderPath: "/dev/dri/renderD129", address: PCIAddress("00:02.0"), deviceID: .tigerLake),
            DRMDevice(renderPath: nil, cardPath: "/dev/dri/card2"),
        ]
        for number in [128, 129, 130, 131] { system.permissions["/dev/dri/renderD\(number)"] = .renderNode }
        system.permissions["/dev/dri/card0"] = FilePermissions(owner: 0, group: 44, mode: 0o660)
        system.links["/sys/class/drm/renderD128/device/driver"] = "../../../../bus/pci/drivers/amdgpu"
        system.links["/sys/class/drm/renderD129/device/driver"] = "../../bus/pci/drivers/i915"
        system.drmNames["/dev/dri/renderD130"] = "soft"
        let nodes = RenderNode.all(in: system.view)
        #expect(nodes.map(\.path.last) == ["9", "8", "0", "1"])
        #expect(nodes.map(\.kernelDriver) == ["i915", "amdgpu", "soft", nil])
        #expect(nodes[1].cardFile?.group == 44 && nodes[1].file == .renderNode)
        #expect(nodes[1].vendor == .amd && nodes[2].vendor == nil)
    }

    @Test("NVIDIA's kernel driver has DRM's name")
    func nvidia() {
        var system = FakeSystem()
        system.devices = [DRMDevice(renderPath: "/dev/dri/renderD128")]
        system.links["/sys/class/drm/renderD128/device/driver"] = "../../bus/pci/drivers/nvidia"
        #expect(RenderNode.all(in: system.view).first?.kernelDriver == "nvidia-drm")
    }

    @Test("without nodes the list is empty")
    func none() { #expect(RenderNode.all(in: FakeSystem().view).isEmpty) }

    /// Opens all GPUs of a machine; without one, expects the reason.
    @Test("each node of this machine answers, or the report says why not")
    func live() {
        let report = HardwareReport()
        #expect(report.nodes.isEmpty == !report.diagnoses.isEmpty)
        for node in report.nodes {
            #expect(node.answers.map { !$0.rows.isEmpty } ?? !node.diagnoses.isEmpty, "\(node.node.path)")
            #expect(node.node.kernelDriver != nil && node.node.file != nil)
        }
    }
}

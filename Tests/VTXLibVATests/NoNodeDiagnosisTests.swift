import Testing
import VTXLibVA
import VTXMedia

@Suite("Diagnoses of machines without a render node")
struct NoNodeDiagnosisTests {
    private func diagnosis(_ system: FakeSystem) throws -> Diagnosis {
        let report = HardwareReport(probing: system.view)
        #expect(report.nodes.isEmpty)
        return try #require(report.diagnoses.first)
    }

    @Test("a machine without a GPU")
    func bare() throws {
        let found = try diagnosis(FakeSystem())
        #expect(found.kind == .noDeviceDirectory && found.hint == nil)
        #expect(found.sentence == "there is no /dev/dri, and no GPU is on the PCI bus")
    }

    @Test("a GPU whose kernel driver is not loaded is named")
    func noKernelDriver() throws {
        var system = FakeSystem()
        system.permissions["/dev/dri"] = FilePermissions(owner: 0, group: 0, mode: 0o755)
        system.files["/sys/bus/pci/devices/0000:00:02.0/class"] = "0x030000\n"
        system.files["/sys/bus/pci/devices/0000:00:1f.0/class"] = "0x060100\n"
        let found = try diagnosis(system)
        #expect(found.kind == .noRenderNode && found.sentence.contains("the GPU 0000:00:02.0 is on the PCI bus"))
        #expect(found.hint?.contains("lspci -nnk -s 0000:00:02.0") == true)
    }

    @Test(
        "a container needs --device",
        arguments: ["0::/docker/3f2", "11:pids:/kubepods/besteffort", "0::/lxc/x"])
    func container(groups: String) throws {
        var system = FakeSystem()
        system.files["/proc/1/cgroup"] = groups
        #expect(try diagnosis(system).hint == "start the container with --device /dev/dri/renderD128")
    }

    @Test("a container detected only by its environment variable", arguments: ["lxc", "podman", "oci"])
    func containerVariable(engine: String) throws {
        var system = FakeSystem()
        system.environment["container"] = engine
        #expect(try diagnosis(system).hint == "start the container with --device /dev/dri/renderD128")
    }

    @Test("WSL2 has no DRM devices, in a container or not")
    func wsl() throws {
        var system = FakeSystem()
        system.files["/proc/sys/kernel/osrelease"] = "5.15.90.1-microsoft-standard-WSL2\n"
        system.permissions["/.dockerenv"] = FilePermissions(owner: 0, group: 0, mode: 0o644)
        let found = try diagnosis(system)
        #expect(found.kind == .noDeviceDirectory && found.sentence.contains("WSL2"))
    }
}

import Testing
import VTXLibVA
import VTXMedia

@Suite("Diagnoses of drivers that answer")
struct DiagnosisTests {
    private func kinds(_ fixture: Fixture, _ system: FakeSystem = FakeSystem()) -> [Diagnosis.Kind] {
        NodeReport(fixture.node, .success(fixture.answers), in: system.view).diagnoses.map(\.kind)
    }

    private static let expected: [String: [Diagnosis.Kind]] = {
        var table: [String: [Diagnosis.Kind]] = ["radeonsi-navi24": [.noEncoderInGPU]]
        for gpu in ["bdw", "skl", "bxt", "kbl", "glk", "cfl", "cml"] { table["ihd-free-\(gpu)"] = [.noEncoderInBuild] }
        for gpu in ["icl", "tgl", "rkl", "adls", "adlp", "rpls", "dg1"] {
            table["ihd-free-\(gpu)"] = [.lowPowerOnlyBuild]
        }
        for gpu in ["bdw", "skl", "bxt", "kbl", "glk", "cfl"] { table["i965-free-\(gpu)"] = [.noEncoderInBuild] }
        table["ihd-free-nohuc-skl"] = [.noEncoderInBuild, .hucMissing]
        table["ihd-free-nohuc-jsl"] = [.hucMissing]
        table["ihd-free-nohuc-icl"] = [.lowPowerOnlyBuild, .hucMissing]
        table["ihd-free-nohuc-tgl"] = [.lowPowerOnlyBuild, .hucMissing]
        return table
    }()

    @Test("each fixture has its diagnoses, and a full build has none", arguments: Fixture.names)
    func builds(name: String) throws { #expect(kinds(try Fixture(name)) == Self.expected[name] ?? []) }

    @Test("each fixture's GPU has a generation that prints", arguments: Fixture.names)
    func names(name: String) throws {
        let fixture = try Fixture(name)
        let generation = try #require(fixture.node.generation)
        #expect(fixture.node.gpuName() == "\(fixture.deviceID.vendor.title) \(generation.name)")
    }

    @Test("a GPU's name is the driver's, else the generation's, else numbers")
    func gpuNames() throws {
        let navi = try Fixture("radeonsi-navi21")
        #expect(navi.node.gpuName(navi.answers) == "AMD Radeon RX 6800 XT")
        #expect(navi.node.gpuName() == "AMD Navi 21")
        let tiger = try Fixture("ihd-free-tgl")
        #expect(tiger.node.gpuName(tiger.answers) == "Intel Tiger Lake")
        let future = PCIDeviceID(vendor: .intel, device: 0xffff)
        #expect(RenderNode(path: "/dev/dri/renderD128", deviceID: future).gpuName() == "Intel GPU 8086:ffff")
    }

    @Test("the hint for a missing encoder is the build that has it")
    func cures() throws {
        let fixture = try Fixture("ihd-free-skl")
        let diagnosis = NodeReport(fixture.node, .success(fixture.answers), in: FakeSystem().view).diagnoses[0]
        #expect(diagnosis.sentence.hasPrefix("Intel Skylake encodes HEVC, but this build of its driver does not"))
        #expect(diagnosis.hint?.contains("intel-media-va-driver-non-free") == true)
    }

    @Test(
        "HuC: the message has i915's setting, or that only root can read it",
        arguments: [
            ("0\n", nil, "i915.enable_guc is 0"), ("-1", nil, "i915.enable_guc is -1"),
            (nil, "quiet i915.enable_guc=3", "did not load though i915.enable_guc is 3"),
            (nil, "quiet", "only root can read"),
        ] as [(String?, String?, String)])
    func huc(parameter: String?, commandLine: String?, words: String) throws {
        var system = FakeSystem()
        system.files["/sys/module/i915/parameters/enable_guc"] = parameter
        system.files["/proc/cmdline"] = commandLine
        let fixture = try Fixture("ihd-free-nohuc-jsl")
        let report = NodeReport(fixture.node, .success(fixture.answers), in: system.view)
        #expect(report.diagnoses.first?.sentence.contains(words) == true)
        for package in ["firmware-misc-nonfree", "firmware-intel-graphics"] {
            #expect(report.diagnoses.first?.hint?.contains(package) == true)
        }
    }

    @Test("HuC is only checked for i915: the xe driver loads it")
    func xe() throws {
        let fixture = try Fixture("ihd-free-nohuc-jsl")
        var node = fixture.node
        node.kernelDriver = "xe"
        #expect(NodeReport(node, .success(fixture.answers), in: FakeSystem().view).diagnoses.isEmpty)
    }

    @Test("a driver without H.264 and HEVC in either direction was built without them")
    func stripped() throws {
        let fixture = try Fixture("radeonsi-navi21")
        var answers = fixture.answers
        answers.rows.removeAll { $0.profile.description.contains("H264") || $0.profile.description.contains("HEVC") }
        let report = NodeReport(fixture.node, .success(answers), in: FakeSystem().view)
        #expect(report.diagnoses.map(\.kind) == [.profilesStripped])
    }

    @Test("a GPU rendered by the CPU is emulated; a virtual one that encodes counts as a GPU")
    func emulated() throws {
        var answers = try Fixture("radeonsi-navi21").answers
        var node = RenderNode(path: "/dev/dri/renderD128", kernelDriver: "virtio_gpu")
        #expect(NodeReport(node, .success(answers), in: FakeSystem().view).diagnoses.isEmpty)
        answers.vendorString = "Mesa Gallium driver 22.3.6 for llvmpipe (LLVM 15.0.6, 256 bits)"
        #expect(
            NodeReport(node, .success(answers), in: FakeSystem().view).diagnoses.map(\.kind) == [.emulated])
        answers = DriverCapabilities(apiVersion: answers.apiVersion, vendorString: "x", rows: [])
        node.kernelDriver = "vgem"
        #expect(
            NodeReport(node, .success(answers), in: FakeSystem().view).diagnoses.map(\.kind) == [.virtualGPU])
    }
}

import Testing
import VTXLibVA
import VTXMedia
import VTXTask
import VTXTranscode
import VTXVAAPI

@testable import VTX
@testable import VTXProbe

@Suite("Probing a machine")
struct ProbeTests {
    private func report(
        _ machine: Machine, device: DeviceSelector = .auto, loads: [RenderNodeLoad] = [],
        attempt: (@Sendable (SelfTestCase) -> SelfTestResult)? = nil
    ) throws -> ProbeReport {
        try machine.probe(loads: loads, attempt: attempt).run(device: device, in: machine.system)
    }

    private func encoders(_ device: DeviceReport, used: Bool = true) -> [String] {
        device.rows.filter { $0.direction == .encode && $0.isUsed == used }.map {
            "\($0.codec) \($0.profile) \($0.entrypoint ?? "-")"
        }
    }

    @Test("a GPU's rows are its driver's capabilities")
    func rows() throws {
        let report = try report(try Machine("ihd-free-tgl"))
        let gpu = try #require(report.devices.first)
        #expect(gpu.device == "/dev/dri/renderD128" && gpu.name == "Intel Tiger Lake")
        #expect(gpu.pciID?.hasPrefix("8086:9a") == true && gpu.pciAddress == "0000:01:00.0")
        #expect(gpu.kernelDriver == "i915" && gpu.driver?.contains("iHD") == true && gpu.vaAPI != nil)
        let high = try #require(gpu.rows.first { $0.profile == "high" && $0.direction == .encode })
        #expect(high.entrypoint == "EncSliceLP" && high.bitDepths == [8] && high.bFrames == false)
        #expect(high.rateControls.contains("QVBR") && high.packedHeaders?.contains("SLICE") == true)
        #expect(high.maxSize?.description == "4096x4096")
        #expect(encoders(gpu).contains("hevc main10 EncSliceLP"))
        #expect(encoders(gpu, used: false) == ["hevc main444-8 EncSliceLP", "hevc main444-10 EncSliceLP"])
        #expect(gpu.rows.contains { $0.codec == "av1" && $0.direction == .decode && $0.bitDepths == [8, 10] })
        #expect(gpu.unused.contains("VP9Profile0 EncSliceLP"))
        #expect(gpu.processing?.rotations == [90, 180, 270] && gpu.processing?.deinterlacing.isEmpty == false)
    }

    @Test("both entrypoints of a profile are rows, and the better one is used")
    func entrypoints() throws {
        let report = try report(try Machine("ihd-non-free-tgl"))
        #expect(encoders(report.devices[0]).filter { $0.hasPrefix("h264 high ") }.count == 2)
        #expect(report.choices.map(\.entrypoint) == ["EncSlice", "EncSlice", "EncSlice"])
    }

    @Test("a driver without a video processor has no report of one")
    func noProcessing() throws {
        #expect(try report(try Machine("ihd-free-skl")).devices[0].processing == nil)
    }

    @Test(
        "the default codec is HEVC if the hardware encodes it",
        arguments: [
            ("ihd-free-skl", "h264", true), ("ihd-free-tgl", "hevc", true), ("ihd-free-icl", "hevc", true),
            ("ihd-free-dg2", "hevc", true), ("radeonsi-polaris10", "hevc", true), ("radeonsi-navi21", "hevc", true),
            ("radeonsi-navi24", "h264", false), ("ihd-free-bdw", "h264", false),
        ])
    func choice(gpu: String, codec: String, isHardware: Bool) throws {
        let choice = try #require(try report(try Machine(gpu)).choices.first)
        #expect(choice.codec == codec && choice.isHardware == isHardware && choice.options.isEmpty)
        #expect((choice.entrypoint == nil) == !isHardware && (choice.rateControl == nil) == !isHardware)
        #expect(!choice.codecReason.isEmpty && !choice.deviceReason.isEmpty)
    }

    @Test("the less busy of two capable GPUs is chosen, or the only capable one")
    func load() throws {
        let two = try Machine("ihd-free-tgl", "radeonsi-navi21")
        #expect(try report(two).choices[0].device == Machine.path(0))
        let busy = [RenderNodeLoad(processes: 2, busyPercent: 40), RenderNodeLoad(processes: 5, busyPercent: 1)]
        let report = try report(two, loads: busy)
        #expect(report.choices[0].device == Machine.path(1))
        #expect(report.choices[0].deviceReason == "it encodes HEVC; least busy of 2")
        #expect(report.devices.map(\.busyPercent) == [40, 1, nil] && report.devices[1].otherProcesses == 5)
        let one = try self.report(try Machine("ihd-free-skl", "radeonsi-navi21"), loads: busy.reversed())
        #expect(one.choices[1].device == Machine.path(1) && one.choices[2].device == Machine.path(0))
    }

    @Test(
        "--device limits the devices and the choice",
        arguments: ["vendor:amd", "vendor:0x1002", "pci:02:00.0", "/dev/dri/card1"])
    func device(text: String) throws {
        let device = try #require(DeviceSelector(text))
        let report = try report(try Machine("ihd-free-tgl", "radeonsi-navi21"), device: device)
        #expect(report.devices.map(\.device) == [Machine.path(1), "software"])
        #expect(report.choices.allSatisfy { $0.device == Machine.path(1) })
    }

    @Test("a missing device is an error that lists the existing ones")
    func noSuchDevice() throws {
        let machine = try Machine("ihd-free-tgl")
        let error = #expect(throws: TranscodeError.self) { try report(machine, device: .vendor(.amd)) }
        #expect(error?.category == .hardware && error?.message.contains("vendor:intel") == true)
    }

    @Test("no node: only software, and the reason")
    func noNode() throws {
        let report = try report(try Machine())
        #expect(report.devices.map(\.device) == ["software"] && !report.hasUsableHardware)
        #expect(report.problems.map(\.kind) == ["noRenderNode"])
        #expect(report.choices.map(\.device) == ["software", "software", "software"])
    }

    @Test("a driver that does not respond is a device with problems and without rows")
    func noAnswer() throws {
        let machine = try Machine("ihd-free-tgl")
        let system = machine.system
        let probe = Probe(
            ask: { _ in [NodeProbe(problems: [ProbeProblem(kind: "driverCrashed", message: "it crashed")])] },
            assess: { Assessment.report(of: $0, in: system) })
        let report = try probe.run(device: .auto, in: machine.system)
        #expect(!report.hasUsableHardware && report.devices[0].rows.isEmpty && report.devices[0].driver == nil)
        #expect(report.devices[0].problems.map(\.kind) == ["driverCrashed"])
        #expect(report.devices[0].name == "Intel Tiger Lake")
    }

    @Test("every used row and the video processor get a trial")
    func trials() throws {
        let machine = try Machine("ihd-free-tgl")
        let report = try report(machine) { task in
            task.row?.codec == "hevc" && task.row?.direction == .encode
                ? SelfTestResult(.crashed, evidence: "gone") : SelfTestResult(.passed, frames: 12)
        }
        for row in report.devices.flatMap(\.rows) { #expect((row.trial != nil) == row.isUsed) }
        #expect(report.devices[0].processing?.trial?.verdict == .passed)
        #expect(report.devices[0].processing?.toneMappingTrial?.verdict == .passed)
        // A row that failed its trial is not usable, and its choice reports that.
        #expect(report.choices.map(\.failedTrial) == [true, true, false] && report.hasUsableHardware)
    }

    @Test("unreported capabilities get no trial")
    func toneMappingTrial() throws {
        let report = try report(try Machine("radeonsi-navi21")) { _ in SelfTestResult(.passed) }
        #expect(report.devices[0].processing?.trial != nil && report.devices[0].processing?.toneMappingTrial == nil)
    }

    @Test("a GPU that fails every trial is not usable")
    func allFail() throws {
        let report = try report(try Machine("ihd-free-tgl")) { _ in SelfTestResult(.failed, evidence: "black") }
        #expect(!report.hasUsableHardware)
    }

    @Test("a skipped row does not compensate for failed ones")
    func skipped() throws {
        func report(others verdict: SelfTestResult.Verdict) throws -> ProbeReport {
            try self.report(try Machine("ihd-free-tgl")) { task in
                SelfTestResult(task.row?.codec == "vc1" || task.row?.codec == "mpeg2video" ? .skipped : verdict)
            }
        }
        #expect(try !report(others: .failed).hasUsableHardware && report(others: .passed).hasUsableHardware)
        #expect(try report(others: .skipped).hasUsableHardware)
    }
}

@Suite("The machine in a bug report")
struct HostReportTests {
    @Test("facts, ids and variables, without user names")
    func facts() {
        let files = [
            "/etc/os-release": "ID=debian\nPRETTY_NAME=\"Debian 12\"\n", "/proc/sys/kernel/osrelease": "6.1\n",
        ]
        let view = SystemView(
            read: { files[$0] }, list: { $0 == "/dev/dri" ? ["card0", "renderD128"] : [] },
            permissions: { _ in FilePermissions(owner: 0, group: 105, mode: 0o660) }, linkTarget: { _ in nil },
            drmDevices: { [] },
            drmVersionName: { _ in nil }, environment: { $0 == "LIBVA_DRIVER_NAME" ? "iHD" : nil },
            process: SystemView.Process(user: 1000, groups: [105, 1000]), userName: { _ in "ann" },
            groupName: { $0 == 105 ? "render" : "ann" })
        let facts = HostReport.all(in: view)
        let text = facts.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        #expect(text.contains("distribution=Debian 12") && text.contains("kernel=6.1"))
        #expect(text.contains("/dev/dri/renderD128=uid 0, gid 105(render), mode 0660"))
        #expect(text.contains("user and groups=uid 1000, groups 105(render) 1000"))
        #expect(text.contains("LIBVA_DRIVER_NAME=iHD") && !text.contains("ann"))
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("The choice of codec and device")
struct DeviceChoiceTests {
    private static let software = FakeBackend()
    private static func gpu(_ profiles: [VideoProfile], fault: FakeBackend.Fault? = nil) -> FakeBackend {
        FakeBackend(isHardware: true, encodes: profiles, fault: fault)
    }

    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 3, audio: nil) }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hardware: [VideoProfile]?
        var policy = HardwarePolicy.auto
        var codec: VideoCodec?
        var profile: VideoProfile?
        var output = "out.mkv"
        var expected: VideoCodec
        var usesHardware: Bool
    }

    static let cases = [
        Case(testDescription: "no hardware: H.264", expected: .h264, usesHardware: false),
        Case(
            testDescription: "HEVC hardware: HEVC", hardware: [.hevcMain, .high], expected: .hevc, usesHardware: true),
        Case(testDescription: "H.264 hardware: H.264 on it", hardware: [.high], expected: .h264, usesHardware: true),
        Case(
            testDescription: "HEVC hardware that is off: H.264", hardware: [.hevcMain], policy: .off, expected: .h264,
            usesHardware: false),
        Case(
            testDescription: "asked for: in software where the hardware cannot", hardware: [.high], codec: .hevc,
            expected: .hevc, usesHardware: false),
        Case(
            testDescription: "required: on it", hardware: [.high], policy: .require, expected: .h264,
            usesHardware: true),
        Case(testDescription: "a byte stream says which", output: "out.h265", expected: .hevc, usesHardware: false),
        Case(
            testDescription: "a byte stream says which, in spite of the hardware", hardware: [.hevcMain, .high],
            output: "out.264", expected: .h264, usesHardware: true),
        Case(testDescription: "a profile says which", profile: .main10, expected: .hevc, usesHardware: false),
    ]

    @Test("follows the hardware and the request", arguments: cases)
    func choice(test: Case) throws {
        let backends = (test.hardware.map { [Self.gpu($0)] } ?? []) + [Self.software]
        let plan = try clip.plan(with: backends, to: test.output) {
            $0.hardware = test.policy
            $0.codec = test.codec
            $0.profile = test.profile
        }.plan
        #expect(plan.video.encoder.codec == test.expected && (plan.video.device.name == "gpu") == test.usesHardware)
        #expect(plan.decisions.contains { $0.subject == "codec" } && plan.decisions.contains { $0.subject == "device" })
    }

    @Test("10 bits go to H.264 on a GPU that encodes HEVC only with 8 bits, with the reasons")
    func eightBitHEVC() throws {
        let clip = try SourceClip(frames: 3, audio: nil) {
            $0.encoder = "ffv1"
            $0.options = []
            $0.pixelFormat = "yuv420p10le"
        }
        let plan = try clip.plan(with: [Self.gpu([.hevcMain, .high]), Self.software]).plan
        #expect(plan.video.encoder.codec == .h264 && plan.video.device.name == "gpu")
        #expect(
            plan.decisions.contains { $0.subject == "codec" && $0.reason == "no hardware here encodes this as HEVC" })
        let refusal = plan.notices.first { $0.kind == .fallbackEncode }
        #expect(refusal?.message.description.hasSuffix("there is no encoder for HEVC main10") == true)
    }

    @Test("a tuning needs a software encoder, and a codec that supports it")
    func tunings() throws {
        let backends: [any VideoBackend] = [Self.gpu([.hevcMain, .high]), SoftwareBackend()]
        let plan = try clip.plan(with: backends) { $0.tuning = .film }.plan
        #expect(plan.video.encoder.codec == .h264 && plan.video.device == SoftwareBackend.device)
        #expect(plan.video.encoder.tuning == .film && plan.decisions.contains { $0.subject == "tuning" })
        let notice = plan.notices.first { $0.kind == .fallbackEncode }
        #expect(notice?.message.description.hasSuffix("only software encoders can be tuned to the content") == true)
        let grain = try clip.plan(with: backends) { ($0.codec, $0.tuning) = (.hevc, .grain) }.plan
        #expect(grain.video.encoder.codec == .hevc && grain.video.device == SoftwareBackend.device)
    }

    @Test("a software encoder's preset needs that encoder")
    func presets() throws {
        let backends: [any VideoBackend] = [Self.gpu([.hevcMain, .high]), SoftwareBackend()]
        let plan = try clip.plan(with: backends) { ($0.codec, $0.encoderPreset) = (.hevc, "slow") }.plan
        #expect(plan.video.device == SoftwareBackend.device && plan.video.encoder.presetName == "slow")
        let notice = plan.notices.first { $0.kind == .fallbackEncode }
        #expect(notice?.message.description.contains("preset=slow: it is a preset of software encoders") == true)
        for (codec, name) in [(VideoCodec.av1, "slow"), (.h264, "8")] {
            let refusal = clip.refusal(with: backends) { ($0.codec, $0.encoderPreset) = (codec, name) }
            #expect(refusal?.kind == .conflict && refusal?.hint?.description.contains("fast, balanced") == true)
        }
    }

    @Test("encoder options need software, and must be known")
    func encoderOptions() throws {
        let backends: [any VideoBackend] = [Self.gpu([.hevcMain, .high]), SoftwareBackend()]
        let options = [EncoderOption("psy-rd", "1.5")]
        let plan = try clip.plan(with: backends) { ($0.codec, $0.encoderOptions) = (.hevc, options) }.plan
        #expect(plan.video.device == SoftwareBackend.device && plan.video.encoder.options == options)
        #expect(plan.decisions.contains { $0.subject == "encoder options" && $0.choice == "psy-rd=1.5" })
        let notice = plan.notices.first { $0.kind == .fallbackEncode }
        #expect(notice?.message.description.contains("only software encoders") == true)
        let refusal = clip.refusal(with: backends) {
            ($0.codec, $0.encoderOptions) = (.hevc, [EncoderOption("psy-rdo", "1")])
        }
        #expect(refusal?.kind == .encoderOptions && refusal?.hint?.description.contains("psy-rd") == true)
    }

    @Test("an option that no encoder of the codec has is refused", arguments: [VideoCodec.hevc, .av1])
    func missingTunings(codec: VideoCodec) {
        let refusal = clip.refusal(with: [Self.gpu([.hevcMain, .high]), SoftwareBackend()]) {
            ($0.codec, $0.tuning) = (codec, .film)
        }
        #expect(refusal?.kind == .conflict)
    }

    @Test("with hardware off no device is probed", arguments: HardwarePolicy.allCases)
    func probing(policy: HardwarePolicy) throws {
        let gpu = Self.gpu([.high, .hevcMain])
        _ = try clip.plan(with: [gpu, FakeBackend()]) { $0.hardware = policy }
        #expect((gpu.probes.withLock { $0 } == 0) == (policy == .off))
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hardware: [VideoProfile]?
        var device = DeviceSelector.auto
        var codec: VideoCodec?
        var output = "out.mkv"
        var policy = HardwarePolicy.require
        var category: ErrorKind.Category
        var code: String
    }

    static let refusals = [
        Refused(testDescription: "required, but not there", category: .hardware, code: "hardware.required"),
        Refused(
            testDescription: "required, but cannot", hardware: [.high], codec: .hevc, category: .hardware,
            code: "hardware.required"),
        Refused(
            testDescription: "a device that is not there", hardware: [.high], device: .path("/dev/dri/renderD999"),
            policy: .auto, category: .hardware, code: "hardware.device"),
        Refused(
            testDescription: "a device without hardware", hardware: [.high], device: .path("/dev/dri/renderD128"),
            policy: .off, category: .usage, code: "usage.conflict"),
        Refused(
            testDescription: "a codec that the byte stream cannot hold", codec: .hevc, output: "out.h264",
            policy: .auto, category: .usage, code: "output.codec"),
    ]

    @Test("impossible requests are refused with their exit codes", arguments: refusals)
    func refusal(test: Refused) {
        let backends = (test.hardware.map { [Self.gpu($0)] } ?? []) + [Self.software]
        let error = clip.refusal(with: backends, to: test.output) {
            $0.hardware = test.policy
            $0.device = test.device
            $0.codec = test.codec
        }
        #expect(error?.category == test.category && error?.code == test.code)
    }

    /// A GPU that cannot be opened, and optionally one that can.
    private static func denied(beside profiles: [VideoProfile]? = nil) -> [FakeBackend] {
        var backend = profiles.map { gpu($0) } ?? FakeBackend(isHardware: true, devices: [:])
        backend.unusable = [
            UnusableDevice(selectors: [.path("/dev/dri/renderD9")], reason: "renderD9 is closed", hint: "open it")
        ]
        return [backend, software]
    }

    @Test("a GPU that cannot be opened is reported if software replaces it")
    func unusable() throws {
        let notices = try clip.plan(with: Self.denied()).plan.notices
        #expect(notices.map(\.code) == ["fallback.device"])
        #expect(notices.first?.message.contains("renderD9 is closed; open it") == true)
        #expect(try clip.plan(with: Self.denied(beside: [.high])).plan.notices.isEmpty, "another GPU does it")
        #expect(try clip.plan(with: Self.denied()) { $0.hardware = .off }.plan.notices.isEmpty, "none was asked for")
        let forbidden = clip.refusal(with: Self.denied()) { $0.forbidsFallbacks = true }
        #expect(forbidden?.category == .fallback && forbidden?.message.contains("renderD9 is closed") == true)
    }

    @Test("an error has the reason why a GPU cannot be used, and a hint", arguments: [true, false])
    func unusableError(isNamed: Bool) {
        let error = clip.refusal(with: Self.denied()) {
            if isNamed { $0.device = .path("/dev/dri/renderD9") } else { $0.hardware = .require }
        }
        #expect(error?.category == .hardware && error?.code == (isNamed ? "hardware.device" : "hardware.required"))
        #expect(error?.message.contains("renderD9 is closed") == true && error?.hint == "open it")
    }

    /// A GPU whose driver failed before, and optionally a working one.
    static func faulty(beside profiles: [VideoProfile]? = nil) -> [FakeBackend] {
        var backend = profiles.map { gpu($0) } ?? FakeBackend(isHardware: true, devices: [:])
        backend.unusable = [
            UnusableDevice(
                selectors: [.path("/dev/dri/renderD9")], reason: "its driver crashed", hint: "ask it", isFaulty: true)
        ]
        return [backend, software]
    }

    @Test("a GPU whose driver crashed before is avoided, with a notice")
    func faulty() throws {
        let beside = try clip.plan(with: Self.faulty(beside: [.high])).plan
        #expect(beside.notices.map(\.code) == ["hardware.skipped"] && beside.video.usesHardware)
        #expect(beside.notices.first?.message.contains("its driver crashed; ask it") == true)
        #expect(
            try clip.plan(with: Self.faulty(beside: [.high])) { $0.forbidsFallbacks = true }.plan.video.usesHardware)
        #expect(try clip.plan(with: Self.faulty(beside: [.high])) { $0.hardware = .require }.plan.video.usesHardware)
        let named = try clip.plan(with: Self.faulty()) { $0.device = .path("/dev/dri/renderD9") }.plan
        #expect(named.notices.map(\.code) == ["fallback.device"] && !named.video.usesHardware)
        let required = clip.refusal(with: Self.faulty()) { $0.hardware = .require }
        #expect(required?.message.contains("its driver crashed") == true && required?.hint == "ask it")
    }

    @Test("no encoder at all is no hardware fault")
    func noEncoder() {
        let error = clip.refusal(with: [FakeBackend(encodes: [.high])]) { $0.codec = .hevc }
        #expect(error?.category == .unsupported && error?.code == "encoder.missing")
    }

    @Test("a profile or size that the device lacks is named, with what it has")
    func capability() {
        let profile = clip.refusal(with: [FakeBackend(encodes: [.high])]) { $0.profile = .baseline }
        #expect(profile?.kind == .encoderProfile && profile?.hint?.contains("high") == true)
        let size = clip.refusal { $0.size = SizeRequest(8192, 64) }
        #expect(size?.category == .unsupported && size?.hint?.contains("4096x4096") == true)
    }

    @Test("a device that cannot be opened is a hardware fault")
    func openFailure() {
        let error = clip.refusal(with: [Self.gpu([.high], fault: .openSession)])
        #expect(error?.category == .hardware && error?.message.contains("busy") == true)
        let software = clip.refusal(with: [FakeBackend(encodes: [.high], fault: .openSession)])
        #expect(software?.kind == .hardwareOpen && software?.message.contains("busy") == true)
    }

    @Test("a device can be chosen by name")
    func byName() throws {
        let two = FakeBackend(isHardware: true, devices: ["a": [.high], "b": [.high]])
        let plan = try clip.plan(with: [two, FakeBackend()]) { $0.device = .path("b") }.plan
        #expect(plan.video.device == DeviceID("b"))
    }
}

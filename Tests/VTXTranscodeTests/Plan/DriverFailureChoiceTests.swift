import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXTranscode

@Suite("A plan after a driver has ended a process")
struct DriverFailureChoiceTests {
    private static let software = FakeBackend()
    private static func gpu(_ profiles: [VideoProfile]) -> FakeBackend {
        FakeBackend(isHardware: true, encodes: profiles)
    }

    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 3, audio: nil) }

    @Test("a failure in the job is reported once")
    func justFailed() throws {
        let plan = try clip.plan(with: DeviceChoiceTests.faulty(), after: [Self.failure(of: "/dev/dri/renderD9")]).plan
        #expect(plan.notices.map(\.code) == ["fallback.fault"])
        #expect(
            plan.notices.first?.message
                == "the driver of /dev/dri/renderD9 aborted after 7 frames; the job continues without it")
        #expect(plan.decisions.contains { $0.subject == "device" && $0.reason == "the GPU failed on this job" })
    }

    @Test("a retried GPU gets all its stages")
    func retried() throws {
        var failure = Self.failure(of: "gpu")
        failure.isRetried = true
        let plan = try clip.plan(with: [Self.gpu([.high]), Self.software], after: [failure]).plan
        #expect(plan.notices.map(\.code) == ["hardware.recovered"] && plan.video.usesHardware)
    }

    @Test("a GPU that failed again at encoding does the other stages")
    func lostStage() throws {
        var failure = Self.failure(of: "gpu")
        (failure.stage, failure.codec) = (.encode, .h264)
        let plan = try clip.plan(with: [Self.gpu([.high]), Self.software], after: [failure]).plan
        #expect(plan.notices.map(\.code) == ["fallback.fault"])
        #expect(plan.notices.first?.message.contains("without it at the encode stage") == true)
        #expect(plan.video.encoding?.device == DeviceID("software") && plan.video.usesHardware)
    }

    @Test("a GPU that failed again at decoding is replaced, or software decodes: reported once")
    func lostDecoding() throws {
        var failure = Self.failure(of: "a")
        failure.stage = .decode
        let other = FakeBackend(isHardware: true, devices: ["a": [.hevcMain], "b": [.hevcMain]])
        let passedOn = try clip.plan(with: [other, Self.software], after: [failure]).plan
        #expect(passedOn.video.encoding?.device == DeviceID("b"))
        #expect(passedOn.notices.map(\.message) == [failure.notice.message])
        #expect(passedOn.decisions.first { $0.subject == "device" }?.reason.contains("it continues this job") == true)
        let alone = FakeBackend(isHardware: true, devices: ["a": [.hevcMain]])
        let plan = try clip.plan(with: [alone, Self.software], after: [failure]).plan
        #expect(plan.video.encoding?.device == DeviceID("a"))
        #expect(
            plan.notices == [
                Notice(
                    .fallbackFault, "the driver of a aborted after 7 frames; software does the decode stage")
            ])
    }

    @Test("a retried GPU that does not respond is lost to the job, with a notice")
    func retriedInVain() throws {
        var retried = Self.failure(of: "/dev/dri/renderD9")
        retried.isRetried = true
        let asked = DriverFailure(
            device: retried.device, symptom: "aborted while vtx probed it", isHang: false, isWhileAsked: true)
        let plan = try clip.plan(with: DeviceChoiceTests.faulty(), after: [retried, asked]).plan
        #expect(plan.notices == [asked.notice] && plan.notices.map(\.code) == ["fallback.fault"])
        var elsewhere = retried
        elsewhere.device = DeviceID("gpu")
        let beside = try clip.plan(with: DeviceChoiceTests.faulty(beside: [.hevcMain]), after: [elsewhere, asked]).plan
        #expect(Set(beside.notices.map(\.code)) == ["hardware.recovered", "hardware.skipped"])
    }

    private static func failure(of device: String?) -> DriverFailure {
        DriverFailure(
            device: device.map { DeviceID($0) }, symptom: "aborted after 7 frames", isHang: false, isWhileAsked: false,
            codec: .hevc)
    }

    @Test("an earlier attempt's partial output stays, and the request is unchanged")
    func begunCodec() throws {
        let plan = try clip.plan(with: [Self.software], after: [Self.failure(of: "/dev/dri/renderD9")]).plan
        #expect(plan.video.codec == .hevc)
        #expect(
            plan.decisions.contains { $0.subject == "codec" && $0.reason == "an earlier attempt used it" })
        let asked = try clip.plan(with: [Self.software], after: [Self.failure(of: nil)]) { $0.codec = .h264 }.plan
        #expect(asked.video.codec == .h264)
    }

    @Test("if the failed GPU is unknown, none is queried")
    func unknownFault() throws {
        let gpu = Self.gpu([.high])
        let plan = try clip.plan(with: [gpu, Self.software], after: [Self.failure(of: nil)]).plan
        #expect(gpu.probes.withLock { $0 } == 0 && plan.notices.map(\.code) == ["fallback.fault"])
    }
}

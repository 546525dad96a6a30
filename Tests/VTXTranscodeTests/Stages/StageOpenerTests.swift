import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

@testable import VTXTranscode

@Suite("Each stage falls back to software separately")
struct StageOpenerTests {
    private static let allCombinations = (0..<8).map { bits in
        Set(VideoStage.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
    }

    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 3, audio: nil) }

    private func stagesOnGPU(_ prepared: PreparedTranscode) -> Set<VideoStage> {
        Set(VideoStage.allCases.filter { prepared.sessions[$0].capabilities.isHardware })
    }

    private func fallbacks(_ prepared: PreparedTranscode) -> Set<String> {
        Set(prepared.plan.notices.filter { $0.category == .fallback }.map(\.code))
    }

    @Test("the GPU runs all stages that it supports, independent of the others", arguments: allCombinations)
    func combinations(stages: Set<VideoStage>) throws {
        let prepared = try clip.plan(with: [FakeBackend(stages), FakeBackend()]) { $0.size = SizeRequest(64, 64) }
        #expect(stagesOnGPU(prepared) == stages)
        #expect(prepared.plan.video.usesHardware == !stages.isEmpty)
        let missing = Set([VideoStage.decode, .filter]).subtracting(stages)
        #expect(fallbacks(prepared) == Set(missing.map { "fallback.\($0.rawValue)" }))
    }

    @Test("a frame that needs no filter is not uploaded to a GPU")
    func idle() throws {
        let prepared = try clip.plan(with: [FakeBackend([.filter]), FakeBackend()])
        #expect(stagesOnGPU(prepared) == [])
    }

    @Test("required hardware does all or nothing", arguments: allCombinations.dropLast())
    func required(stages: Set<VideoStage>) throws {
        let error = clip.refusal(with: [FakeBackend(stages), FakeBackend()]) {
            $0.hardware = .require
            $0.size = SizeRequest(64, 64)
        }
        #expect(error?.category == .hardware && error?.code == "hardware.required")
    }

    @Test(
        "a listed codec that fails to open loses its stage",
        arguments: [
            (FakeBackend.Fault.makeDecoder, VideoStage.decode), (.makeFilter, .filter), (.makeEncoder, .encode),
        ])
    func unopened(fault: FakeBackend.Fault, stage: VideoStage) throws {
        let gpu = FakeBackend(Set(VideoStage.allCases), fault: fault)
        let prepared = try clip.plan(with: [gpu, FakeBackend()]) { $0.size = SizeRequest(64, 64) }
        #expect(stagesOnGPU(prepared) == Set(VideoStage.allCases).subtracting([stage]))
        #expect(fallbacks(prepared) == ["fallback.\(stage.rawValue)"])
    }

    struct CommandExample: Sendable {
        var stages: Set<VideoStage>
        var place: String
        var filters: String
    }

    static let examples = [
        CommandExample(stages: [], place: "-i", filters: "fake"),
        CommandExample(stages: [.decode, .filter, .encode], place: "-on", filters: "fake"),
        CommandExample(stages: [.decode], place: "-on", filters: "down,fake"),
        CommandExample(stages: [.filter], place: "-with", filters: "up,fake,down"),
        CommandExample(stages: [.encode], place: "-with", filters: "fake,up"),
        CommandExample(stages: [.decode, .encode], place: "-on", filters: "down,fake,up"),
        CommandExample(stages: [.filter, .encode], place: "-with", filters: "up,fake"),
    ]

    @Test("the ffmpeg command has the same devices", arguments: examples)
    func command(example: CommandExample) throws {
        let backends = [FakeBackend(example.stages), FakeBackend()]
        let command = try clip.plan(with: backends) { $0.size = SizeRequest(64, 64) }.plan.ffmpegCommand
        let position = try #require(command.firstIndex(of: "-filter:v"))
        #expect(command[1] == example.place && command[position + 1] == example.filters)
    }

    private func fault(_ stage: VideoStage, isBeforeFirstPacket: Bool = true) -> HardwareFailure {
        HardwareFailure(
            stage: stage, device: DeviceID("gpu"), deviceName: "fake gpu", message: "it broke",
            isBeforeFirstPacket: isBeforeFirstPacket)
    }

    @Test("a GPU that failed at a stage's start keeps the others, with a notice", arguments: VideoStage.allCases)
    func failedStart(stage: VideoStage) throws {
        var failures = HardwareFailures()
        failures.note(fault(stage))
        let request = clip.request { $0.size = SizeRequest(64, 64) }
        let backends = [FakeBackend(Set(VideoStage.allCases)), FakeBackend()]
        let prepared = try TranscodePreparation(request, backends: backends, after: failures).prepare()
        #expect(stagesOnGPU(prepared) == Set(VideoStage.allCases).subtracting([stage]))
        let notice = try #require(prepared.plan.notices.first { $0.code == "fallback.\(stage.rawValue)" })
        #expect(notice.message.contains("fake gpu") && notice.message.contains("it broke"))
    }

    @Test("unused GPU encoder options have a notice if software encodes", arguments: [true, false])
    func encoderOptions(isHardware: Bool) throws {
        let request = clip.request { $0.hardwareEncoder.asyncDepth = 2 }
        let backends = (isHardware ? [FakeBackend(Set(VideoStage.allCases))] : []) + [FakeBackend()]
        let prepared = try TranscodePreparation(request, backends: backends).prepare()
        #expect(prepared.plan.notices.contains { $0.code == "hardware.options" } != isHardware)
    }

    @Test("a stage is lost once; a GPU that fails again, or in mid-file, loses the job")
    func failures() {
        var failures = HardwareFailures()
        for stage in VideoStage.allCases { failures.note(fault(stage)) }
        #expect(failures.beforeFirstPacket.map(\.stage) == VideoStage.allCases && failures.midStream.isEmpty)
        failures.note(fault(.filter))
        #expect(failures.midStream.map(\.stage) == [.filter])
        var late = HardwareFailures()
        late.note(fault(.decode, isBeforeFirstPacket: false))
        #expect(late.beforeFirstPacket.isEmpty && late.midStream.map(\.stage) == [.decode])
    }

    @Test("a GPU loses only its own stages")
    func shortageWithoutDecoding() {
        var failures = HardwareFailures()
        var shortage = fault(.encode)
        (shortage.isOutOfMemory, shortage.stages) = (true, [.filter, .encode])
        failures.note(shortage)
        failures.note(shortage)
        #expect(failures.reliefs.map(\.stage) == [.filter] && failures.beforeFirstPacket.isEmpty)
    }

    @Test("a GPU without enough memory gets fewer frames, then no decoding, then no filtering, then loses the job")
    func shortage() {
        var failures = HardwareFailures()
        var shortage = fault(.encode, isBeforeFirstPacket: false)
        (shortage.isOutOfMemory, shortage.stages) = (true, VideoStage.allCases)
        failures.note(shortage)
        #expect(failures.shortOfMemory == [shortage.device] && failures.reliefs.isEmpty)
        for stages in [[VideoStage.decode], [.decode, .filter]] {
            failures.note(shortage)
            #expect(failures.reliefs.map(\.stage) == stages && !failures.excludes(shortage.device))
            shortage.stages.removeFirst()
        }
        failures.note(shortage)
        #expect(failures.excludes(shortage.device))
    }

    @Test(
        "a failure of a GPU's stage is the GPU's fault; damaged data is not",
        arguments: [(SessionError.Code.allocationFailed, true), (.unsupportedFormat, true), (.badData, false)])
    func blame(code: SessionError.Code, isGPUs: Bool) throws {
        let sessions = try clip.plan(with: [FakeBackend(Set(VideoStage.allCases)), FakeBackend()]).sessions
        #expect { try sessions.attributingFailures(.filter) { throw SessionError(code, "it broke") } } throws: {
            error in
            (error as? HardwareFailure)?.stage == (isGPUs ? .filter : nil)
        }
    }

    @Test("frames that cannot be downloaded for a software filter are the decoder's fault")
    func download() throws {
        let sessions = try clip.plan(with: [FakeBackend([.decode]), FakeBackend()]) { $0.size = SizeRequest(64, 64) }
            .sessions
        let broken = SessionError(.hardwareMalfunction, "it broke")
        #expect { try sessions.attributingFailures(.filter) { throw broken } } throws: {
            ($0 as? HardwareFailure)?.stage == .decode
        }
        #expect { try sessions.attributingFailures(.encode) { throw broken } } throws: { $0 is SessionError }
    }
}

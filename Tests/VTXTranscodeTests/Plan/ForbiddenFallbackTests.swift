import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia
import VTXSystem

@testable import VTXTranscode

@Suite("Forbidden fallbacks")
struct ForbiddenFallbackTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 3, audio: nil) }

    private func refusal(_ gpus: [FakeBackend], _ change: (inout TranscodeRequest) -> Void = { _ in })
        -> TranscodeError?
    {
        clip.refusal(with: gpus + [FakeBackend()]) {
            $0.forbidsFallbacks = true
            change(&$0)
        }
    }

    private static func gpu(_ fault: FakeBackend.Fault? = nil) -> FakeBackend {
        FakeBackend(isHardware: true, encodes: [.high, .hevcMain], fault: fault)
    }

    @Test(
        "each stage that falls back to software",
        arguments: [
            (FakeBackend.Fault.makeDecoder, "fallback.decode"), (.makeEncoder, "fallback.encode"),
            (.openSession, "fallback.encode"),
        ])
    func stages(fault: FakeBackend.Fault, code: String) {
        let error = refusal([Self.gpu(fault)])
        #expect(error?.category == .fallback && error?.code == code)
    }

    @Test("a machine without a capable GPU")
    func noHardware() {
        let none = refusal([])
        #expect(none?.category == .fallback && none?.code == "fallback.device")
        #expect(none?.message.hasPrefix("no hardware encoder, and software fallback is not allowed: ") == true)
        let other = refusal([FakeBackend(isHardware: true, encodes: [.high])]) { $0.codec = .hevc }
        #expect(other?.category == .fallback)
    }

    @Test("all stages on a GPU are no fallback, nor is another rate control")
    func onHardware() throws {
        let prepared = try clip.plan(with: [Self.gpu(), FakeBackend()]) { $0.forbidsFallbacks = true }
        #expect(prepared.plan.video.usesHardware)
        var request = clip.request()
        request.forbidsFallbacks = true
        try Planner.check([Notice(.fallbackRateControl, "CQP stands for VBR")], against: request)
    }

    @Test("a GPU that fails in mid-file ends the job, and leaves nothing")
    func midway() throws {
        let request = clip.request { $0.forbidsFallbacks = true }
        let job = TranscodeJob(
            request, backends: [Self.gpu(.filter(2)), FakeBackend()], cancellation: Cancellation(), report: { _ in })
        let error = #expect(throws: TranscodeError.self) { try job.run() }
        #expect(error?.category == .fallback && error?.code == "fallback.fault")
        #expect(error?.message == "the fake filter broke")
        #expect(!AtomicFile.exists(clip.directory.file("out.mkv")))
        #expect(!AtomicFile.exists(AtomicFile.partialPath(for: clip.directory.file("out.mkv"))))
    }
}

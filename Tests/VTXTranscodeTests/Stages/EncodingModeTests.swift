import Testing
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask

@testable import VTXTranscode

@Suite("An encoding mode that fails at its first frame does not disable the GPU")
struct EncodingModeTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 3, audio: nil) }

    private static let vbr = EncodingMode(entrypoint: "Fake", rateControl: "VBR")

    private func fault(_ mode: EncodingMode? = vbr, isBeforeFirstPacket: Bool = true) -> HardwareFailure {
        HardwareFailure(
            stage: .encode, device: DeviceID("gpu"), deviceName: "fake gpu", message: "it broke", mode: mode,
            isBeforeFirstPacket: isBeforeFirstPacket)
    }

    private func prepare(after found: [HardwareFailure]) throws -> PreparedTranscode {
        var failures = HardwareFailures()
        found.forEach { failures.note($0) }
        let gpu = FakeBackend([.encode], fault: .encodingModes([]))
        return try TranscodePreparation(clip.request(), backends: [gpu, FakeBackend()], after: failures).prepare()
    }

    @Test("the GPU uses another mode, with a notice")
    func another() throws {
        let prepared = try prepare(after: [fault()])
        let plan = prepared.plan
        #expect(plan.video.device == DeviceID("gpu"))
        #expect(prepared.stages.encoder.mode == EncodingMode(entrypoint: "Fake", rateControl: "CQP"))
        #expect(plan.notices.contains { $0.code == "fallback.rateControl" && $0.message == "CQP stands for VBR" })
        #expect(!plan.notices.contains { $0.code == "fallback.encode" })
    }

    @Test("if none is left, software encodes")
    func none() throws {
        let cqp = EncodingMode(entrypoint: "Fake", rateControl: "CQP")
        let plan = try prepare(after: [fault(), fault(cqp)]).plan
        #expect(plan.video.device == DeviceID("software"))
        #expect(plan.notices.contains { $0.code == "fallback.encode" && $0.message.contains("no way is left") })
    }

    @Test("a mode that fails again, or in mid-file, ends the GPU's part of the job")
    func again() {
        var failures = HardwareFailures()
        failures.note(fault())
        #expect(failures.midStream.isEmpty)
        failures.note(fault())
        #expect(
            failures.midStream.count == 1 && !fault(isBeforeFirstPacket: false).costsModeOnly
                && !fault(nil).costsModeOnly
        )
    }

    @Test(
        "a malfunction is the mode's fault, out of memory is not",
        arguments: [(SessionError.Code.hardwareMalfunction, true), (.allocationFailed, false)])
    func blame(code: SessionError.Code, isModes: Bool) throws {
        let sessions = try clip.plan(with: [FakeBackend([.encode]), FakeBackend()]).sessions
        #expect {
            try sessions.attributingFailures(.encode, in: Self.vbr) { throw SessionError(code, "it broke") }
        } throws: {
            ($0 as? HardwareFailure).map { ($0.mode != nil) == isModes } ?? false
        }
    }

    /// - Returns: the devices of the plans, and the result.
    private func run(
        _ stages: Set<VideoStage>, broken: Set<String>, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) -> (devices: [String], error: TranscodeError?) {
        let devices = Locked<[String]>([])
        let gpu = FakeBackend(stages, fault: .encodingModes(broken))
        let job = TranscodeJob(
            clip.request("out.mkv", change), backends: [gpu, SoftwareBackend()], cancellation: Cancellation(),
            report: { event in
                if case .planned(let plan) = event { devices.withLock { $0.append(plan.video.device.name) } }
            })
        do throws(TranscodeError) {
            _ = try job.run()
            return (devices.withLock { $0 }, nil)
        } catch {
            return (devices.withLock { $0 }, error)
        }
    }

    @Test("a job tries all modes, then software")
    func job() {
        let (devices, error) = run([.encode], broken: ["VBR", "CQP"])
        #expect(devices == ["gpu", "gpu", "software"] && error == nil)
    }

    @Test("without software fallback, a job tries all modes and fails")
    func noSoftware() {
        let required = run(Set(VideoStage.allCases), broken: ["VBR", "CQP"]) { $0.hardware = .require }
        #expect(required.devices == ["gpu", "gpu"] && required.error?.category == .hardware)
        let forbidden = run(Set(VideoStage.allCases), broken: ["VBR", "CQP"]) { $0.forbidsFallbacks = true }
        #expect(forbidden.devices == ["gpu", "gpu"] && forbidden.error?.category == .fallback)
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

/// The fake GPU's packets are not frames: its output never passes verification.
@Suite("A GPU whose output fails verification")
struct FailedCheckTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 12, audio: nil) }

    private func run(
        _ backends: [any VideoBackend], _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) -> (result: Result<TranscodeResult, TranscodeError>, plans: [TranscodePlan], notices: [Notice]) {
        let events = Locked<[TranscodeEvent]>([])
        let job = TranscodeJob(clip.request("out.h264", change), backends: backends, cancellation: Cancellation()) {
            event in events.withLock { $0.append(event) }
        }
        let result = Result { () throws(TranscodeError) in try job.run() }
        let seen = events.withLock { $0 }
        return (
            result,
            seen.compactMap { if case .planned(let plan) = $0 { plan } else { nil } },
            seen.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        )
    }

    @Test("software does the job, with a notice")
    func software() throws {
        let (result, plans, notices) = run([FakeBackend(Set(VideoStage.allCases)), SoftwareBackend()])
        #expect(try result.get().frames == 12 && plans.map(\.video.usesHardware) == [true, false])
        let notice = try #require(notices.first { $0.code == "fallback.fault" })
        #expect(notice.message.contains("fake gpu") && notice.message.contains("verification of the output failed"))
        #expect(!notice.message.contains("removed"))
        #expect(try Demuxer(path: clip.directory.file("out.h264")).streams.count == 1)
    }

    @Test("the result has the verification's findings, the amount encoded again, and the devices")
    func report() throws {
        let result = try run([FakeBackend(Set(VideoStage.allCases)), SoftwareBackend()]) { $0.verification = .full }
            .result.get()
        let found = try #require(result.verification)
        #expect(found.mode == .full && found.framesCompared == 12 && found.framesEncodedAgain == 12)
        #expect(found.worstPSNR.map { $0 > 20 } ?? true)
        #expect(result.stageDevices?.count == 3 && result.stageDevices?["encode"] == ["software (libavcodec)"])
    }

    @Test("another GPU, if any, replaces it, and each is tried once")
    func anotherGPU() throws {
        let gpus = FakeBackend(isHardware: true, devices: ["gpu0": [.high], "gpu1": [.high]])
        let (result, plans, _) = run([gpus, SoftwareBackend()])
        #expect(try result.get().frames == 12)
        #expect(plans.map(\.video.device.name) == ["gpu0", "gpu1", "software"])
    }

    @Test("the codec stays, even if software would choose another")
    func codec() throws {
        let (_, plans, _) = run([FakeBackend(Set(VideoStage.allCases)), SoftwareBackend()]) {
            $0.output = clip.directory.file("out.mkv")
        }
        #expect(plans.map(\.video.codec) == [.hevc, .hevc] && !plans[1].video.usesHardware)
    }

    @Test("--hw require and --fail-on-fallback make it an error that leaves nothing")
    func required() throws {
        let backends: [any VideoBackend] = [FakeBackend(Set(VideoStage.allCases)), SoftwareBackend()]
        for (change, category) in [
            ({ $0.hardware = .require }, ErrorKind.Category.verification), ({ $0.forbidsFallbacks = true }, .fallback),
        ] as [((inout TranscodeRequest) -> Void, ErrorKind.Category)] {
            let (result, plans, _) = run(backends, change)
            guard case .failure(let error) = result else { return #expect(Bool(false), "it succeeded") }
            #expect(error.category == category && plans.count == 1)
            #expect(clip.directory.names == ["in.mkv"])
        }
    }
}

import Testing
import VTXMedia
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Sources that are skipped because of their codec")
struct SkippedCodecsTests {
    private func job(
        _ clip: SourceClip, _ skipped: SkippedCodecs?, codec: VideoCodec, _ change: (inout TranscodeRequest) -> Void
    ) -> TranscodeJob {
        let request = clip.request("out.mkv") {
            ($0.codec, $0.preset, $0.skippedCodecs) = (codec, .fast, skipped)
            change(&$0)
        }
        return TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
    }

    /// - Parameter codec: That of the output; the source is H.264.
    private func run(
        _ skipped: SkippedCodecs, codec: VideoCodec = .h264, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> TranscodeResult {
        let clip = try SourceClip(frames: 10)
        let before = clip.directory.names
        let result = try job(clip, skipped, codec: codec, change).run()
        #expect((clip.directory.names == before) == (result.outcome == .skipped))
        return result
    }

    @Test("a listed codec is skipped, with the reason, and nothing is written")
    func listed() throws {
        let result = try run(.only(["hevc", "h264"]), codec: .hevc)
        #expect(result.outcome == .skipped && result.reason == "the video is H.264 already")
    }

    @Test("auto is the output's codec, unless more than the encoding would change")
    func auto() throws {
        #expect(try run(.auto).outcome == .skipped)
        #expect(try run(.auto) { $0.bitrate = 100_000 }.outcome == .completed)
        #expect(try run(.auto, codec: .hevc).outcome == .completed)
    }

    @Test("--replace skips the output's codec by itself, whatever the quality and the audio")
    func replaced() throws {
        let clip = try SourceClip(frames: 10)
        for change: @Sendable (inout TranscodeRequest) -> Void in [
            { _ in }, { $0.quality = Quality(20) }, { $0.audio = .encode(.aac) },
        ] {
            let result = try job(clip, nil, codec: .h264) {
                ($0.output, $0.replacesSource) = (nil, true)
                change(&$0)
            }
            .run()
            #expect(result.outcome == .skipped)
        }
    }

    @Test("what is skipped needs no GPU and no stream")
    func unplanned() throws {
        #expect(try run(.only(["h264"]), codec: .hevc) { $0.hardware = .require }.outcome == .skipped)
        #expect(try run(.auto) { $0.hardware = .require }.outcome == .skipped)
        let selected = try run(.only(["h264"])) { $0.selection.audio = StreamFilter("7") ?? .all }
        #expect(selected.outcome == .skipped)
    }

    @Test("the plan says that the source is skipped, and why")
    func explained() throws {
        let clip = try SourceClip(frames: 10)
        let decisions = try job(clip, .only(["h264"]), codec: .hevc) { _ in }.plan().decisions
        #expect(decisions.last == Decision("source", "skipped", because: "the video is H.264 already"))
        let others = try job(clip, .only(["hevc"]), codec: .hevc) { _ in }.plan().decisions
        #expect(!others.contains { $0.choice == "skipped" })
    }

    @Test("other codecs are encoded")
    func others() throws {
        #expect(try run(.only(["hevc", "av1"])).outcome == .completed)
        #expect(try run(.nothing).outcome == .completed)
    }
}

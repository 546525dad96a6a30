import Testing
import VTXMedia
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Sources that are skipped because of their codec")
struct SkippedCodecsTests {
    /// - Parameter codec: That of the output; the source is H.264.
    private func run(_ skipped: SkippedCodecs, codec: VideoCodec = .h264, bitrate: Int? = nil) throws -> TranscodeResult
    {
        let clip = try SourceClip(frames: 10)
        let request = clip.request("out.mkv") {
            ($0.codec, $0.preset, $0.skippedCodecs, $0.bitrate) = (codec, .fast, skipped, bitrate)
        }
        let before = clip.directory.names
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
        let result = try job.run()
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
        #expect(try run(.auto, bitrate: 100_000).outcome == .completed)
        #expect(try run(.auto, codec: .hevc).outcome == .completed)
    }

    @Test("other codecs are encoded")
    func others() throws {
        #expect(try run(.only(["hevc", "av1"])).outcome == .completed)
        #expect(try run(.none).outcome == .completed)
    }
}

import Testing
import VTXMedia

@testable import VTXTask

@Suite("Plans and events as JSON")
struct EventCodingTests {
    @Test("every event comes back equal", arguments: events)
    func roundTrip(event: TranscodeEvent) throws {
        let line = JSONLine.text(event)
        #expect(line.hasSuffix("}\n") && !line.dropLast().contains("\n"))
        #expect(try JSONLine.value(TranscodeEvent.self, from: line) == event)
    }

    @Test("a plan has the keys that programs read, beside what makes it whole again")
    func planKeys() {
        let line = JSONLine.text(TranscodeEvent.planned(plan))
        for part in [
            "\"type\":\"plan\"", "\"deviceName\":\"a GPU\"", "\"usesHardware\":true", "\"expectedFrames\":75",
            "\"expectedSeconds\":3", "\"chapters\":1", "\"label\":\"audio stream 1 (pcm_s16le)\"",
            "\"action\":\"convert\"",
        ] { #expect(line.contains(part), "\(part) in \(line)") }
    }

    @Test("keys that are not known are ignored; a type that is not known is an error")
    func unknown() throws {
        let line = "{\"type\":\"notice\",\"kind\":\"warning\",\"code\":\"source.order\",\"message\":\"c\",\"new\":1}"
        #expect(try JSONLine.value(TranscodeEvent.self, from: line) == .notice(Notice(.sourceOrder, "c")))
        #expect(throws: DecodingError.self) { try JSONLine.value(TranscodeEvent.self, from: "{\"type\":\"other\"}") }
    }

    static let events: [TranscodeEvent] = [
        .planned(plan), .notice(notice),
        .progress(
            Progress(
                phase: .transcoding, frames: 3, totalFrames: nil, seconds: 0.12, totalSeconds: 4.5, elapsedSeconds: 1,
                bytes: 1 << 40)),
        .finished(
            TranscodeResult(
                outcome: .incompleteSource, output: "a\"b\n.mp4", frames: 3, seconds: 0.12, bytes: 5,
                elapsedSeconds: 1.5, notices: [notice])),
    ]
}

private let notice = Notice(.fallbackDecode, "software decodes: \u{1} why")

private let plan: TranscodePlan = {
    let video = StreamInfo(index: 0, kind: .video, codecName: "h264", timeBase: Rational(1, 12800))
    let audio = StreamInfo(index: 1, kind: .audio, codecName: "pcm_s16le", timeBase: Rational(1, 44100))
    let subtitle = StreamInfo(index: 2, kind: .subtitle, codecName: "subrip", timeBase: Rational(1, 1000))
    let format = PixelFormat.planar(.yuv420, bitDepth: 8)
    var filter = FilterConfiguration(
        size: PixelSize(320, 180), pixelFormat: format, color: .bt709, scaling: .letterbox, isSquare: false,
        deinterlacing: .flaggedFrames, orientation: .upright, frameRate: nil, sourceFrameRate: 25,
        timeBase: Rational(1, 12800))
    filter.toneMapping = ToneMapping(source: .bt709, metadata: HDRMetadata())
    var encoder = EncoderConfiguration(
        codec: .hevc, profile: .hevcMain, size: PixelSize(320, 180), pixelFormat: format,
        timeBase: Rational(1, 12800), frameRate: 25, rateControl: .bitrate(average: 494_130, max: nil),
        maxKeyFrameInterval: 125)
    encoder.failedModes = [EncodingMode(entrypoint: "EncSliceLP", rateControl: "VBR"): "it broke"]
    let settings = AudioEncoderSettings(
        codecName: "aac", sampleRate: 44100, channelLayout: "mono", channelCount: 1, sampleFormat: "fltp",
        bitsPerSample: nil, bitrate: 80000, usesGlobalHeader: true)
    return TranscodePlan(
        input: "in.mkv", output: "out.mp4", container: .mp4, isFragmented: false,
        video: VideoPlan(
            source: video, device: DeviceID("/dev/dri/renderD128"), deviceName: "a GPU", usesHardware: true,
            filter: filter, encoder: encoder, constantFrameRate: 25, keyFrameSeconds: nil, displayMatrix: .identity,
            expectedFrames: 75),
        streams: [
            StreamPlan(source: video, action: .encodeVideo, reason: "the video", outputIndex: 0),
            StreamPlan(source: audio, action: .convertAudio(settings), reason: "MP4 cannot hold it", outputIndex: 1),
            StreamPlan(source: subtitle, action: .convertSubtitle("mov_text"), reason: "text", outputIndex: 2),
            StreamPlan(source: subtitle, action: .drop, reason: "not selected"),
            StreamPlan(source: audio, action: .copy, reason: "MP4 holds it", outputIndex: 3),
        ],
        timestamps: TimestampOffset(
            offset: MediaTime(0, MediaTime.microseconds), seekTarget: nil, start: nil, end: 3, expectedSeconds: 3),
        chapters: [
            Chapter(id: 1, start: MediaTime(0, Rational(1, 1000)), end: MediaTime(9, Rational(1, 1000)), metadata: [])
        ],
        metadata: [MetadataEntry("title", "t")], decisions: [Decision("codec", "HEVC", because: "asked for")],
        notices: [notice], ffmpegCommand: ["ffmpeg", "-i", "in.mkv"])
}()

package import VTXMedia
package import VTXTask

extension TranscodePlan {
    /// A plan with a stream of each kind.
    package static func example(
        output: String = "out.mp4", usesHardware: Bool = true, codec: VideoCodec = .hevc
    ) -> TranscodePlan {
        let video = VideoPlan(
            source: .video, constantFrameRate: 25, displayMatrix: .identity, expectedFrames: 75,
            encoding: .example(usesHardware: usesHardware, codec: codec))
        return TranscodePlan(
            input: "in.mkv", output: output, container: .mp4, isFragmented: false, video: video, streams: .example,
            timestamps: OutputRange(offset: MediaTime(0, MediaTime.microseconds), end: 3, expectedSeconds: 3),
            chapters: [
                Chapter(
                    id: 1, start: MediaTime(0, Rational(1, 1000)), end: MediaTime(9, Rational(1, 1000)), metadata: [])
            ],
            metadata: [MetadataEntry("title", "t")], decisions: [Decision("codec", "HEVC", because: "asked for")],
            notices: [Notice(.fallbackDecode, "software decodes: \u{1} why")],
            ffmpegCommand: ["ffmpeg", "-i", "in.mkv"])
    }
}

extension VideoEncoding {
    fileprivate static func example(usesHardware: Bool, codec: VideoCodec) -> VideoEncoding {
        let format = PixelFormat.planar(.yuv420, bitDepth: 8)
        var filter = FilterConfiguration(
            size: PixelSize(320, 180), pixelFormat: format, color: .bt709, scaling: .letterbox, isSquare: false,
            deinterlacing: .flaggedFrames, orientation: .upright, frameRate: nil, sourceFrameRate: 25,
            timeBase: Rational(1, 12800))
        filter.toneMapping = ToneMapping(source: .bt709, metadata: HDRMetadata())
        let encoder = EncoderConfiguration(
            codec: codec, profile: codec == .h264 ? .high : .hevcMain, size: PixelSize(320, 180), pixelFormat: format,
            timeBase: Rational(1, 12800), frameRate: 25, rateControl: .bitrate(average: 494_130, max: nil),
            maxKeyFrameInterval: 125)
        return VideoEncoding(
            device: DeviceID("/dev/dri/renderD128"), deviceName: "a GPU", usesHardware: usesHardware, filter: filter,
            encoder: encoder, keyFrameSeconds: nil)
    }
}

extension StreamInfo {
    fileprivate static let video = StreamInfo(
        index: 0, kind: .video, codecName: "h264", timeBase: Rational(1, 12800))
    fileprivate static let audio = StreamInfo(
        index: 1, kind: .audio, codecName: "pcm_s16le", timeBase: Rational(1, 44100))
    fileprivate static let subtitle = StreamInfo(
        index: 2, kind: .subtitle, codecName: "subrip", timeBase: Rational(1, 1000))
}

extension [StreamPlan] {
    fileprivate static var example: [StreamPlan] {
        let settings = AudioEncoderSettings(
            codecName: "aac", sampleRate: 44100, channelLayout: "mono", channelCount: 1, sampleFormat: "fltp",
            bitsPerSample: nil, bitrate: 80000, usesGlobalHeader: true)
        return [
            StreamPlan(source: .video, action: .encodeVideo, reason: "the video", outputIndex: 0),
            StreamPlan(source: .audio, action: .convertAudio(settings), reason: "MP4 cannot hold it", outputIndex: 1),
            StreamPlan(source: .subtitle, action: .convertSubtitle("mov_text"), reason: "text", outputIndex: 2),
            StreamPlan(source: .subtitle, action: .drop, reason: "not selected"),
            StreamPlan(source: .audio, action: .copy, reason: "MP4 holds it", outputIndex: 3),
        ]
    }
}

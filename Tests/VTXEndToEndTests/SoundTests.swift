import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Audio")
struct SoundTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    struct Copy: Sendable, CustomTestStringConvertible {
        var recipe: AudioRecipe
        var input: String
        var output: String
        var testDescription: String { "\(recipe.encoder): \(input) to \(output)" }

        static let all = [
            Copy(recipe: .aac, input: "mp4", output: "mp4"), Copy(recipe: .aac, input: "mp4", output: "mkv"),
            Copy(recipe: .aac, input: "mkv", output: "mp4"), Copy(recipe: .aac, input: "mkv", output: "mov"),
            Copy(recipe: .ac3, input: "mkv", output: "mp4"), Copy(recipe: .ac3, input: "mkv", output: "ts"),
            Copy(recipe: .mp2, input: "ts", output: "mkv"), Copy(recipe: .mp2, input: "mkv", output: "ts"),
            Copy(recipe: .flac, input: "mkv", output: "mkv"),
            Copy(recipe: .flac, input: "mkv", output: "mp4"),
            Copy(recipe: .pcm, input: "mov", output: "mov"), Copy(recipe: .opus, input: "mkv", output: "mkv"),
            Copy(recipe: .opus, input: "mkv", output: "mp4"),
        ]
    }

    @Test("supported audio is copied, byte for byte and in time", arguments: Copy.all)
    func copies(test: Copy) throws {
        let (input, output) = (directory.file("in.\(test.input)"), directory.file("out.\(test.output)"))
        try MovieRecipe(VideoRecipe(), test.recipe).write(to: input)
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        // Some containers split PCM into other packets.
        #expect(after.packets(.audio).flatMap(\.bytes) == before.packets(.audio).flatMap(\.bytes))
        #expect(abs(gap(after) - gap(before)) < 0.0011)
        #expect(try Decoded(output, .audio).errors == 0)
    }

    @Test(
        "priming samples stay hidden", arguments: ["mp4", "mkv"],
        ["mp4", "mov", "mkv"])
    func priming(from: String, to: String) throws {
        let (input, output) = (directory.file("in.\(from)"), directory.file("out.\(to)"))
        try MovieRecipe(VideoRecipe(), .aac).write(to: input)
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try Decoded(input, .audio), try Decoded(output, .audio))
        // Matroska has millisecond times.
        #expect(abs(heardSamples(before) - heardSamples(after)) <= 48)
        #expect(heardSamples(before) > 48000)
    }

    /// Samples from time zero on. A container hides those before by an edit list, or puts them before zero.
    private func heardSamples(_ decoded: Decoded) -> Int {
        decoded.sampleCount + Int((min(0, decoded.times.first ?? 0) * 48000).rounded())
    }

    /// The delay of the audio after the video.
    private func gap(_ file: MediaFile) -> Double {
        (file.times(.audio).first ?? -9) - (file.times(.video).first ?? -9)
    }

    @Test(
        "audio that begins after or before the video keeps its offset", arguments: [0.3, -0.1],
        ["mp4", "mkv", "ts"])
    func delay(seconds: Double, pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let movie = MovieRecipe(VideoRecipe(), .ac3) {
            $0.startSeconds = 0.2
            $0.audioDelay = seconds
        }
        try movie.write(to: input)
        _ = try Run.transcode(input, to: output)
        #expect(abs(gap(try MediaFile(output)) - gap(try MediaFile(input))) < 0.0011)
        // The encoder's own delay is a few milliseconds.
        #expect(abs(gap(try MediaFile(output)) - seconds) < 0.02)
    }

    @Test("unsupported audio becomes AAC, with a notice")
    func conversion() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.ts"))
        try MovieRecipe(VideoRecipe(), .flac).write(to: input)
        let run = try Run.transcode(input, to: output)
        let audio = try #require(try MediaFile(output).streams(.audio).first)
        #expect(audio.parameters.codecName == "aac" && audio.parameters.sampleRate == 48000)
        let message = try #require(run.messages("conversion.audio").first)
        #expect(message.contains("flac") && message.contains("aac"))
    }

    @Test("lossless audio that Matroska does not support becomes FLAC, without a loss")
    func lossless() throws {
        let (input, output) = (directory.file("in.mov"), directory.file("out.mkv"))
        let pcm = AudioRecipe { ($0.encoder, $0.sampleFormat, $0.bitrate) = ("pcm_s8", "u8", nil) }
        try MovieRecipe(VideoRecipe(), pcm).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.forbidsDowngrades = true }
        #expect(run.messages("conversion.audio").first?.contains("becomes flac") == true)
        #expect(try MediaFile(output).streams(.audio).map(\.codecName) == ["flac"])
    }

    @Test(
        "an encoder can be selected", arguments: [AudioCodec.aac, .ac3, .eac3, .flac, .opus], ["mp4", "mkv"])
    func encodes(codec: AudioCodec, pathExtension: String) throws {
        let (input, output) = (directory.file("in.mov"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe(), .pcm).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.audio = .encode(codec) }
        let audio = try #require(try MediaFile(output).streams(.audio).first)
        #expect(audio.parameters.codecName == codec.rawValue)
        let decoded = try Decoded(output, .audio)
        #expect(decoded.errors == 0)
        // The whole second, and at most a few frames of padding; the first sample keeps its time.
        #expect((48000...52000).contains(decoded.sampleCount))
        #expect(abs((decoded.times.first ?? -9)) < 0.03)
    }

    @Test(
        "streams with too many channels are mixed down, and the rest is copied",
        arguments: [(ChannelLimit.mono, 1), (.stereo, 2), (.surround, 6)])
    func channels(limit: ChannelLimit, count: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe(), .surround).write(to: input)
        let run = try Run.transcode(input, to: output) { ($0.audioChannels, $0.forbidsDowngrades) = (limit, true) }
        let audio = try #require(try MediaFile(output).streams(.audio).first)
        #expect(audio.channelCount == count && audio.parameters.codecName == (count == 6 ? "ac3" : "aac"))
        #expect(run.messages("conversion.audio").count == (count == 6 ? 0 : 1))
        #expect(try Decoded(output, .audio).errors == 0)
    }

    @Test("side channels become AAC's back channels")
    func surround() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe(), .surround).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.audio = .encode(.aac) }
        #expect(run.messages("conversion.audio").first?.contains("5.1,") == true)
    }

    @Test("loudness is normalized, from quiet and from loud audio", arguments: [-30, -16])
    func loudness(wanted: Int) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 50 }, AudioRecipe { $0.seconds = 2 }).write(to: input)
        let output = directory.file("out\(wanted).mkv")
        let run = try Run.transcode(input, to: output) { ($0.audio, $0.loudness) = (.encode(.flac), wanted) }
        let measured = try loudness(of: Decoded(output, .audio))
        #expect(abs(measured - Double(wanted)) < 0.5, "\(measured) LUFS")
        let decision = try #require(run.plan.decisions.first { $0.subject == "loudness" })
        #expect("\(decision.reason)".contains("LUFS requested") && decision.choice.contains("gain"))
        #expect(run.messages("audio.loudness").isEmpty)
    }

    @Test("normalized audio keeps the times and the number of samples")
    func loudnessTimes() throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 50 }, AudioRecipe { $0.seconds = 2 }).write(to: input)
        let packets = try [nil, -30, -8].map { wanted in
            let output = directory.file("out\(wanted ?? 0).mp4")
            _ = try Run.transcode(input, to: output) {
                ($0.audio, $0.audioBitrate, $0.loudness) = (.encode(.aac), 64_000, wanted)
            }
            return try MediaFile(output).times(.audio)
        }
        #expect(packets[0].count > 90 && packets[1] == packets[0] && packets[2] == packets[0])
    }

    @Test("audio too short to measure keeps its level, with a notice")
    func unmeasurable() throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = 25 }, AudioRecipe { $0.seconds = 0.2 }).write(to: input)
        let run = try Run.transcode(input, to: directory.file("out.mkv")) { $0.loudness = -16 }
        #expect(run.messages("audio.loudness").count == 1)
        let choice = run.plan.decisions.first { $0.subject == "loudness" }?.choice
        #expect(choice?.hasSuffix("gain 0.0 dB") == true)
    }

    /// LUFS, integrated over all of it.
    private func loudness(of audio: Decoded) throws -> Double {
        let meter = try FilterGraph(
            audioLike: try #require(audio.frames.first), chain: "ebur128=metadata=1:framelog=verbose",
            samplesPerFrame: 0)
        var loudness: String?
        for frame in audio.frames.map(Optional.some) + [nil] {
            try meter.send(frame)
            while case .unit(let measured) = try meter.receive() {
                loudness = measured.metadata["lavfi.r128.I"] ?? loudness
            }
        }
        return try #require(loudness.flatMap(Double.init))
    }

    @Test("audio can be dropped")
    func none() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(VideoRecipe(), .aac).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.audio = .none }
        #expect(try MediaFile(output).streams.map(\.kind) == [.video])
    }

    @Test("an encoder that the container does not support is refused")
    func unsupported() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.ts"))
        try MovieRecipe(VideoRecipe(), .aac).write(to: input)
        let error = Run.failure(input, to: output) { $0.audio = .encode(.flac) }
        #expect(error?.category == .unsupported && error?.code == "audio.container")
        #expect(directory.names == ["in.mkv"])
    }

    @Test(
        "an audio bit rate that is too high or unused has a notice",
        arguments: [(AudioChoice.copy, 64_000), (.encode(.aac), 2_000_000), (.encode(.flac), 64_000)])
    func uselessBitrate(audio: AudioChoice, bitrate: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }, .aac).write(to: input)
        let run = try Run.transcode(input, to: output) { ($0.audio, $0.audioBitrate) = (audio, bitrate) }
        #expect(run.messages("audio.bitrate").count == 1)
    }
}

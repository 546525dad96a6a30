import Glibc
import Testing
import VTX
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("A bit rate in two passes")
struct TwoPassTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// At 25 frames per second: five seconds take many bits, the others few.
    private static func movie(_ frameCount: Int = 250) -> MovieRecipe {
        MovieRecipe(
            VideoRecipe {
                $0.filters = "noise=alls=40:allf=t:enable='lt(t,5)'"
                $0.frameCount = frameCount
            },
            AudioRecipe { $0.seconds = 10 })
    }

    @Test(
        "is within 2 % of what is requested, whatever the duration",
        arguments: [(VideoCodec.h264, 250), (.hevc, 250), (.h264, 252)])
    func reached(codec: VideoCodec, frameCount: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try Self.movie(frameCount).write(to: input)
        let bitrate = 300_000
        let decisions = Locked<[Decision]>([])
        var request = TranscodeRequest(input: input, output: output)
        (request.codec, request.bitrate, request.usesTwoPasses) = (codec, bitrate, true)
        request.preset = .fast
        let result = try Run.job(request) { event in
            if case .planned(let plan) = event { decisions.withLock { $0 = plan.decisions } }
        }
        .run()
        let file = try MediaFile(output)
        let bits = file.packets(.video).reduce(0) { $0 + $1.bytes.count * 8 }
        let average = Double(bits) / (Double(frameCount) / 25)
        #expect(abs(average / Double(bitrate) - 1) < 0.02, "\(average) b/s")
        #expect(
            result.frames == frameCount && file.streams.count == 2 && directory.names.sorted() == ["in.mkv", "out.mp4"])
        let reasons = decisions.withLock { $0.filter { $0.subject == "rate" }.map { "\($0.reason)" } }
        // The last plan may be that of a corrected rate.
        #expect(["requested, in two passes", "300 kb/s requested, in two passes"].contains(reasons.joined()))
    }

    @Test("a source that is gone after the first pass is not found, and no rate is blamed")
    func gone() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try Self.movie(50).write(to: input)
        var request = TranscodeRequest(input: input, output: output)
        (request.codec, request.bitrate, request.usesTwoPasses, request.preset) = (.h264, 300_000, true, .fast)
        let elsewhere = directory.file("moved.mkv")
        let error = #expect(throws: TranscodeError.self) {
            try Run.job(request) { _ in rename(input, elsewhere) }.run()
        }
        #expect(error?.kind == .inputNotFound)
    }

    @Test("below what the encoder needs is an error that names it, and leaves nothing")
    func tooLow() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try Self.movie().write(to: input)
        let error = Run.failure(input, to: output) {
            ($0.codec, $0.bitrate, $0.usesTwoPasses) = (.h264, 1000, true)
        }
        #expect(error?.kind == .targetUnreachable && error?.message.contains("bitrate") == true)
        #expect(directory.names == ["in.mkv"])
    }

    private static let conflicts: [Settings] = [
        [.quality: "70"], [.target: "ssim=0.9"], [.targetSize: "25M"], [.codec: "av1"], [.hardware: "require"],
        [.failOnFallback: "true"], [.lowPower: "on"], [.replace: "true"],
    ]

    @Test("excludes other rates, GPUs and AV1", arguments: conflicts)
    func refusals(settings: Settings) {
        var all: Settings = [.twoPass: "true"]
        let rates: Set<OptionName> = [.quality, .target, .targetSize]
        if rates.isDisjoint(with: settings.keys) { all[.bitrate] = "1000000" }
        let error = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "in.mp4", settings: all.merging(settings) { $1 })
        }
        #expect(error?.kind == .conflict && error?.message.contains("twoPass") == true, "\(error?.message ?? "")")
    }

    @Test("needs a bit rate, a container for H.264 or HEVC, and one video that is encoded")
    func needs() {
        func refusal(_ output: String, _ settings: Settings) -> ErrorKind? {
            do throws(TranscodeError) {
                _ = try TranscodeRequest(input: "in.mp4", output: output, settings: settings)
                return nil
            } catch { return error.kind }
        }
        #expect(refusal("out.mp4", [.twoPass: "true"]) == .needsOption)
        #expect(refusal("out.webm", [.twoPass: "true", .bitrate: "1000000"]) == .conflict)
        for other: OptionName in [.copyVideo, .hls] {
            #expect(refusal("out.mp4", [.twoPass: "true", .bitrate: "1000000", other: "true"]) == .conflict)
        }
        #expect(refusal("out.mp4", [.twoPass: "true", .bitrate: "1000000", .maxBitrate: "2000000"]) == nil)
    }
}

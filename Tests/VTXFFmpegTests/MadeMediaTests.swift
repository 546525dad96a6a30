import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Generated media are read back")
struct MadeMediaTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    struct Case: Sendable, CustomTestStringConvertible {
        var codec: String
        var file: String
        var recipe: VideoRecipe
        var testDescription: String { "\(codec) in \(file)" }
    }

    static let cases = [
        Case(codec: "h264", file: "a.mp4", recipe: VideoRecipe()),
        Case(codec: "h264", file: "a.ts", recipe: VideoRecipe()),
        Case(codec: "hevc", file: "a.mkv", recipe: .hevc),
        Case(codec: "mpeg2video", file: "a.mpg", recipe: .coded("mpeg2video")),
        Case(codec: "mpeg4", file: "a.avi", recipe: .coded("mpeg4")),
        Case(codec: "prores", file: "a.mov", recipe: .intra("prores_ks", "yuv422p10le")),
        Case(codec: "ffv1", file: "a.mkv", recipe: .intra("ffv1", "yuv444p")),
        Case(codec: "mjpeg", file: "a.avi", recipe: .intra("mjpeg", "yuvj420p")),
    ]

    @Test("every codec of the generated media", arguments: cases)
    func codecs(test: Case) throws {
        let path = directory.file(test.file)
        try MovieRecipe(test.recipe).write(to: path)
        let file = try MediaFile(path)
        let video = try #require(file.video)
        #expect(video.parameters.codecName == test.codec)
        #expect(video.parameters.size == test.recipe.size)
        let decoded = try Decoded(path)
        #expect(decoded.frames.count == test.recipe.frameCount)
        #expect(decoded.errors == 0)
    }

    @Test(
        "every audio stream of the generated media",
        arguments: [
            (AudioRecipe.aac, "aac"), (.ac3, "ac3"), (.mp2, "mp2"), (.opus, "opus"), (.flac, "flac"),
            (.pcm, "pcm_s16le"),
        ])
    func audio(recipe: AudioRecipe, codec: String) throws {
        let path = directory.file("a.mkv")
        try MovieRecipe { $0.audio = [recipe] }.write(to: path)
        let audio = try #require(try MediaFile(path).streams(.audio).first)
        #expect(audio.parameters.codecName == codec)
        #expect(audio.parameters.sampleRate == 48000 && audio.parameters.channelCount == 2)
        let samples = try Decoded(path, .audio).sampleCount
        // Lossy codecs round up to whole frames.
        #expect((48000...51000).contains(samples))
    }

    @Test("a lossless codec returns identical samples")
    func lossless() throws {
        let recipe = VideoRecipe.intra("ffv1", "yuv420p")
        let path = directory.file("a.mkv")
        try MovieRecipe(recipe).write(to: path)
        let made = try recipe.makeFrames().map(\.checksum)
        let read = try Decoded(path).frames.map(\.checksum)
        #expect(made == read)
        #expect(Set(made).count == made.count, "the pictures move")
    }

    @Test("a lossy codec returns similar samples")
    func lossy() throws {
        let recipe = VideoRecipe { $0.options = [("preset", "ultrafast"), ("crf", "10")] }
        let path = directory.file("a.mp4")
        try MovieRecipe(recipe).write(to: path)
        for (made, read) in zip(try recipe.makeFrames(), try Decoded(path).frames) {
            let quality = made.psnr(against: read)
            #expect(quality > 35 && quality.isFinite)
        }
    }

    @Test(
        "a written orientation is read back", arguments: DisplayMatrix.Orientation.allCases,
        ["mp4", "mov"])
    func orientations(orientation: DisplayMatrix.Orientation, pathExtension: String) throws {
        let path = directory.file("a.\(pathExtension)")
        let recipe = VideoRecipe {
            $0.displayMatrix = .turning(orientation)
            $0.frameCount = 2
        }
        try MovieRecipe(recipe).write(to: path)
        let found = try MediaFile(path).video?.displayMatrix ?? .identity
        #expect(found.orientation == orientation)
    }

    @Test("HDR10's metadata is in the container and with the frames")
    func hdr10() throws {
        let path = directory.file("a.mkv")
        try MovieRecipe(.hdr10).write(to: path)
        let video = try #require(try MediaFile(path).video)
        #expect(video.hdrMetadata == .sample)
        #expect(video.parameters.pixelFormat.bitDepth == 10)
        let frame = try #require(try Decoded(path, limit: 1).frames.first)
        #expect(frame.hdrMetadata == .sample)
        #expect(frame.color.transfer == 16 && frame.color.primaries == 9 && frame.color.matrix == 9)
    }

    @Test("invalid mastering display and light level values are ignored")
    func meaninglessHDR10() throws {
        var (display, light) = (HDRMetadata.sample, HDRMetadata.sample)
        display.masteringDisplay?.blue.x = 50_001
        light.contentLightLevel?.maxContent = 65_536
        var black = display
        black.masteringDisplay = HDRMetadata.sample.masteringDisplay
        black.masteringDisplay?.minLuminance = 50_000
        black.masteringDisplay?.maxLuminance = 50_000
        for (pathExtension, written) in [("mp4", display), ("mkv", display), ("mp4", black), ("mkv", light)] {
            let path = directory.file("a.\(pathExtension)")
            try MovieRecipe(VideoRecipe { ($0.hdrMetadata, $0.frameCount) = (written, 2) }).write(to: path)
            let found = try #require(try MediaFile(path).video?.hdrMetadata)
            #expect(found.masteringDisplay == (written == light ? HDRMetadata.sample.masteringDisplay : nil))
            #expect(found.contentLightLevel == (written == light ? nil : HDRMetadata.sample.contentLightLevel))
        }
    }
}

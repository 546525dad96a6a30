import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@Suite("Burned-in subtitles")
struct DrawnSubtitleTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let black = VideoRecipe {
        ($0.picture, $0.filters) = ("color=black", "")
        ($0.size, $0.frameCount) = (PixelSize(320, 180), 100)
    }

    private static func movie(_ video: VideoRecipe = black) -> MovieRecipe {
        MovieRecipe(video) {
            $0.subtitles = [SubtitleRecipe { $0.cues = [.init(1, 2, "WWWWWWWW"), .init(3, 3.5, "MMMMMMMM")] }]
        }
    }

    /// The times in seconds of frames with bright pixels.
    private func shown(in output: String) throws -> [Double] {
        try Decoded(output).frames.filter { brightest($0) > 100 }.compactMap { $0.presentationTime?.seconds }
    }

    private func brightest(_ frame: Frame) -> Int { brightness(frame).max() ?? 0 }

    /// The maximum of each column of the lower half; the plane is copied once.
    private func brightness(_ frame: Frame) -> [Int] {
        let (plane, width) = (frame.planeBytes(0), frame.size.width)
        let isDeep = frame.pixelFormat.bitDepth > 8
        return (0..<width).map { x in
            stride(from: frame.size.height / 2, to: frame.size.height, by: 2).reduce(0) { most, y in
                let place = y * width + x
                return max(most, isDeep ? Int(plane[2 * place]) | Int(plane[2 * place + 1]) << 8 : Int(plane[place]))
            }
        }
    }

    @Test(
        "are visible during their cues, and the stream is dropped",
        arguments: ["in.mkv", "it's, [a]: b;c.mkv", "in.mp4"])
    func times(name: String) throws {
        let (input, output) = (directory.file(name), directory.file("out.mkv"))
        try Self.movie().write(to: input)
        let run = try Run.transcode(input, to: output) { $0.drawnSubtitles = .stream(.position(0)) }
        let times = try shown(in: output)
        #expect(times.first == 1 && times.count == 38 && times.last == 3.48)
        #expect(try MediaFile(output).streams(.subtitle).isEmpty && run.notices.isEmpty)
    }

    @Test("follow a cut of the source")
    func part() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try Self.movie().write(to: input)
        _ = try Run.transcode(input, to: output) {
            ($0.drawnSubtitles, $0.start, $0.size) = (.stream(.position(0)), 1.6, nil)
        }
        let times = try shown(in: output)
        #expect(times.first == 0 && times.filter { $0 < 1 }.count == 10)
        #expect(abs((times.first { $0 > 1 } ?? 0) - 1.4) < 0.001)
    }

    @Test(
        "of another file count from the source's beginning, for any start", arguments: ["mkv", "ts"])
    func file(pathExtension: String) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.mkv"))
        try MovieRecipe(Self.black) { $0.startSeconds = pathExtension == "ts" ? 5 : 0 }.write(to: input)
        let text = directory.file("it's.srt")
        try Files.write(Array("1\n00:00:01,000 --> 00:00:02,000\nHello\n".utf8), to: text)
        let run = try Run.transcode(input, to: output) { $0.drawnSubtitles = .file(text) }
        #expect(try shown(in: output).first == 1 && run.notices.isEmpty)
        let part = directory.file("part.mkv")
        _ = try Run.transcode(input, to: part) { ($0.drawnSubtitles, $0.start) = (.file(text), 0.6) }
        #expect(abs((try shown(in: part).first ?? 0) - 0.4) < 0.001)
    }

    @Test("have diffuse white in HDR, not peak white")
    func hdr() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        var video = VideoRecipe.hdr10
        (video.picture, video.filters, video.size, video.frameCount) = ("color=black", "", PixelSize(320, 180), 50)
        try Self.movie(video).write(to: input)
        _ = try Run.transcode(input, to: output) { ($0.codec, $0.drawnSubtitles) = (.hevc, .stream(.position(0))) }
        let brightest = try Decoded(output).frames.map(brightest).max() ?? 0
        // 58 % of the way from black (64) to white (940), and thin lines lose some of it.
        #expect((480...600).contains(brightest))
    }

    @Test("have all their colors dimmed in HDR, also those of tags")
    func hdrColors() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        var video = VideoRecipe.hdr10
        (video.picture, video.filters, video.size, video.frameCount) = ("color=black", "", PixelSize(320, 180), 50)
        try MovieRecipe(video).write(to: input)
        let text = directory.file("in.srt")
        let cue = "1\n00:00:01,000 --> 00:00:02,000\n<font color=\"#ffff00\">Yellow</font>\n"
        try Files.write(Array(cue.utf8), to: text)
        _ = try Run.transcode(input, to: output) { ($0.codec, $0.drawnSubtitles) = (.hevc, .file(text)) }
        let brightest = try Decoded(output).frames.map(brightest).max() ?? 0
        // Yellow has 94 % of the luma of white, which would be 888 in full.
        #expect((400...560).contains(brightest))
    }

    /// Columns of the output with bright pixels.
    private func width(_ recipe: VideoRecipe, _ name: String) throws -> Int {
        let (input, output) = (directory.file("\(name).mkv"), directory.file("\(name).out.mkv"))
        try Self.movie(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.drawnSubtitles = .stream(.position(0)) }
        let frame = try #require(try Decoded(output).frames.first { brightest($0) > 100 })
        return brightness(frame).count { $0 > 100 }
    }

    @Test("keep the shape of letters with non-square samples")
    func anamorphic() throws {
        var narrow = Self.black
        (narrow.size, narrow.sampleAspectRatio) = (PixelSize(160, 180), Rational(2, 1))
        let (whole, half) = (try width(Self.black, "square"), try width(narrow, "narrow"))
        #expect(abs(2 * half - whole) < whole / 5)
    }

    @Test("with characters that no font has are a downgrade that names them")
    func missingGlyph() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(Self.black) {
            // For private use: no font need have it.
            $0.subtitles = [SubtitleRecipe { $0.cues = [.init(1, 2, "A \u{10FF00} B")] }]
        }.write(to: input)
        let run = try Run.transcode(input, to: output) { $0.drawnSubtitles = .stream(.position(0)) }
        let message = try #require(run.messages("downgrade.glyph").first)
        #expect(message.contains("1 character") && message.contains("\u{10FF00}"))
        let refused = Run.failure(input, to: directory.file("no.mkv")) {
            ($0.drawnSubtitles, $0.forbidsDowngrades) = (.stream(.position(0)), true)
        }
        #expect(refused?.kind == .forbiddenDowngrade && !directory.names.contains("no.mkv"))
    }

    private func bluRay(_ region: PixelRegion, _ video: VideoRecipe = black) throws -> String {
        let plain = directory.file("plain.mkv")
        try MovieRecipe(video).write(to: plain)
        let input = directory.file("in.mkv")
        try BitmapSubtitleRecipe { $0.cues = [(1, 2, region), (3, 3.5, region)] }.stream.add(to: plain, as: input)
        return input
    }

    private static let words = PixelRegion(x: 100, y: 140, size: PixelSize(120, 20))

    @Test("as Blu-ray bitmaps keep their position and duration")
    func bitmaps() throws {
        let (input, output) = (try bluRay(Self.words), directory.file("out.mkv"))
        let run = try Run.transcode(input, to: output) { $0.drawnSubtitles = .stream(.position(0)) }
        let times = try shown(in: output)
        #expect(times.first == 1 && times.count == 38 && times.last == 3.48)
        let frame = try #require(try Decoded(output).frames.first { brightest($0) > 100 })
        let columns = brightness(frame).indices.filter { brightness(frame)[$0] > 128 }
        #expect(columns.first == 100 && columns.count == 120)
        #expect(try MediaFile(output).streams(.subtitle).isEmpty && run.notices.isEmpty)
        let part = directory.file("part.mkv")
        _ = try Run.transcode(input, to: part) {
            ($0.drawnSubtitles, $0.start, $0.filters) = (.stream(.position(0)), 1.6, "negate,negate")
        }
        #expect(try shown(in: part).filter { $0 < 1 }.count == 10)
    }

    @Test("as bitmaps of another file stay in a cropped frame")
    func bitmapFile() throws {
        let (input, output) = (directory.file("in.ts"), directory.file("out.mkv"))
        try MovieRecipe(Self.black) { $0.startSeconds = 5 }.write(to: input)
        let path = directory.file("words.sup")
        try Files.write(BitmapSubtitleRecipe { ($0.cues, $0.lead) = ([(1, 2, Self.words)], 0.2) }.file, to: path)
        _ = try Run.transcode(input, to: output) {
            ($0.drawnSubtitles, $0.crop) = (.file(path), .region(PixelRegion(x: 0, y: 20, size: PixelSize(320, 120))))
        }
        let times = try shown(in: output)
        #expect(times.first == 1 && times.count == 25)
    }

    @Test("as bitmaps have diffuse white in HDR")
    func hdrBitmaps() throws {
        var video = VideoRecipe.hdr10
        (video.picture, video.filters, video.size, video.frameCount) = ("color=black", "", PixelSize(320, 180), 50)
        let (input, output) = (try bluRay(Self.words, video), directory.file("out.mkv"))
        _ = try Run.transcode(input, to: output) { ($0.codec, $0.drawnSubtitles) = (.hevc, .stream(.position(0))) }
        #expect((560...590).contains(try Decoded(output).frames.map(brightest).max() ?? 0))
    }

    @Test("as bitmaps are refused in 10-bit 4:4:4, which libavfilter cannot overlay")
    func deepChroma() throws {
        let input = try bluRay(Self.words)
        let failure = Run.failure(input, to: directory.file("out.mkv")) {
            ($0.drawnSubtitles, $0.filters) = (.stream(.position(0)), "format=yuv444p10")
        }
        #expect(failure?.kind == .subtitleCodec && failure?.message.contains("yuv444p10le") == true)
    }

    @Test("must exist, and be text or bitmaps")
    func refusals() throws {
        let input = directory.file("in.mkv")
        try Self.movie().write(to: input)
        let output = directory.file("out.mp4")
        #expect(
            Run.failure(input, to: output) { $0.drawnSubtitles = .stream(.position(1)) }?.kind == .subtitleSelection)
        #expect(
            Run.failure(input, to: output) { $0.drawnSubtitles = .stream(.language("fre")) }?.kind == .subtitleSelection
        )
        #expect(Run.failure(input, to: output) { $0.drawnSubtitles = .file("none.srt") }?.kind == .inputNotFound)
        #expect(directory.names == ["in.mkv"])
    }
}

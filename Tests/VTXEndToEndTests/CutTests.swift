import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Part of a file")
struct CutTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let clip = MovieRecipe(
        VideoRecipe {
            $0.frameCount = 100
            $0.keyFrameInterval = 30
        },
        AudioRecipe {
            $0.encoder = "ac3"
            $0.bitrate = 192_000
            $0.seconds = 4
        }
    ) {
        $0.subtitles = [SubtitleRecipe { $0.cues = [.init(0.5, 0.8, "early"), .init(2.5, 2.8, "late")] }]
        $0.chapters = [Chapter(1, 0, 1000, "A"), Chapter(2, 1000, 3000, "B"), Chapter(3, 3000, 4000, "C")]
    }

    /// Time counts from the source's first timestamp; AC-3's is 256 samples before the video's.
    private static let lead = 256 / 48000.0 + 0.001

    @Test("begins and ends at the requested frame", arguments: ["mkv", "mp4"], ["mkv", "mp4"])
    func cut(from: String, to: String) throws {
        let (input, output) = (directory.file("in.\(from)"), directory.file("out.\(to)"))
        try Self.clip.write(to: input)
        let run = try Run.transcode(input, to: output) {
            $0.start = 1.4
            $0.duration = 1.2
        }
        let (before, after) = (try Decoded(input).frames, try Decoded(output))
        #expect(after.frames.count == 30 && run.result.frames == 30)
        expectSame(after.times, (0..<30).map { Double($0) / 25 }, within: Self.lead)
        #expect(
            before[35].psnr(against: after.frames[0]) > 28 && before[64].psnr(against: after.frames[29]) > 28)
        let audio = try MediaFile(output).packets(.audio)
        #expect((audio.first?.pts?.seconds ?? -9) >= -0.0011 && (audio.first?.pts?.seconds ?? 9) < 0.034)
        #expect((audio.last?.pts?.seconds ?? 9) < 1.2)
        let file = try MediaFile(output)
        #expect(file.demuxer.chapters.map { $0.metadata["title"] } == ["B"])
        // MP4 has an empty cue before each.
        let cues = file.packets(.subtitle).filter { $0.bytes.count > 2 }.compactMap { $0.pts?.seconds }
        #expect(cues.map { ($0 * 10).rounded() } == [11])
    }

    @Test("a short part has all its frames, with any reordering", arguments: ["mkv", "mp4", "ts"], [0, 3.0])
    func short(pathExtension: String, start: Double) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.mkv"))
        let recipe = VideoRecipe {
            $0.frameCount = 100
            $0.options = [("preset", "veryfast"), ("x264-params", "bframes=16:b-pyramid=normal:b-adapt=0")]
        }
        try MovieRecipe(recipe).write(to: input)
        let run = try Run.transcode(input, to: output) {
            $0.start = start > 0 ? start : nil
            $0.duration = 0.4
        }
        #expect(try run.result.frames == 10 && Decoded(output).frames.count == 10)
    }

    @Test(
        "a cue visible at the start or the end is cut there, also if it begins before the key frame",
        arguments: ["mkv", "mp4"], [5, 30])
    func cues(pathExtension: String, keyFrameInterval: Int) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        var clip = Self.clip
        clip.audio = []
        clip.video[0].keyFrameInterval = keyFrameInterval
        clip.subtitles = [SubtitleRecipe { $0.cues = [.init(0.5, 1.5, "first"), .init(1.8, 3.5, "last")] }]
        try clip.write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.start = 1
            $0.duration = 1.2
        }
        let cues = try MediaFile(output).packets(.subtitle).filter { $0.bytes.count > 2 }
        expectSame(cues.compactMap { $0.pts?.seconds }, [0, 0.8], within: 0.002)
        expectSame(cues.map(\.duration.seconds), [0.5, 0.4], within: 0.002)
    }

    @Test("a start without a duration lasts to the end, a duration without a start begins at zero")
    func halves() throws {
        let input = directory.file("in.mkv")
        try Self.clip.write(to: input)
        let (tail, head) = (directory.file("tail.mkv"), directory.file("head.mkv"))
        _ = try Run.transcode(input, to: tail) { $0.start = 3 }
        _ = try Run.transcode(input, to: head) { $0.duration = 0.5 }
        expectSame(try Decoded(tail).times, (0..<25).map { Double($0) / 25 }, within: Self.lead)
        expectSame(try Decoded(head).times, (0..<13).map { Double($0) / 25 }, within: Self.lead)
        #expect(try MediaFile(head).demuxer.chapters.map { $0.metadata["title"] } == ["A"])
    }

    @Test("counts from the source's first timestamp, with any offset")
    func offset() throws {
        let (input, output) = (directory.file("in.ts"), directory.file("out.mkv"))
        var clip = Self.clip
        clip.subtitles = []
        clip.chapters = []
        clip.startSeconds = 50
        try clip.write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.start = 1
            $0.duration = 1
        }
        let (before, after) = (try Decoded(input).frames, try Decoded(output))
        #expect(abs(after.frames.count - 25) <= 1)
        #expect(abs(after.times[0]) < 0.041)
        let best = (0..<100).max {
            before[$0].psnr(against: after.frames[0]) < before[$1].psnr(against: after.frames[0])
        }
        #expect((24...26).contains(best ?? -1))
    }

    @Test("a start after the end is an error that leaves nothing")
    func behindEnd() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try Self.clip.write(to: input)
        let error = Run.failure(input, to: output) { $0.start = 60 }
        #expect(error?.category == .unsupported)
        #expect(directory.names == ["in.mkv"])
    }
}

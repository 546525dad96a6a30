import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Fields")
struct FieldTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// 50 pictures per second, woven into 25 frames of two fields.
    private static let interlaced = VideoRecipe {
        $0.filters = "tinterlace=interleave_top"
        $0.options += [("flags", "+ildct+ilme"), ("crf", "10")]
        $0.size = PixelSize(320, 192)
    }

    @Test("each field becomes a frame with its own time", arguments: ["mkv", "mp4", "ts"])
    func fieldRate(pathExtension: String) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(Self.interlaced).write(to: input)
        let before = try Decoded(input)
        let run = try Run.transcode(input, to: output) { $0.deinterlace = .field }
        let after = try Decoded(output)
        #expect(after.frames.count == 2 * before.frames.count && run.result.frames == after.frames.count)
        #expect(!after.frames.contains { $0.isInterlaced })
        let rate = 2 / (before.times[1] - before.times[0])
        expectSame(
            after.times.map { $0 - after.times[0] }, after.times.indices.map { Double($0) / rate },
            within: pathExtension == "mkv" ? 0.0011 : 0.0005)
        let decision = run.plan.decisions.first { $0.subject == "frame rate" }
        #expect(decision?.reason == "one frame per field")
        #expect(run.plan.video.expectedFrames == after.frames.count)
    }

    @Test("a requested rate determines the number of frames")
    func rates() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(Self.interlaced).write(to: input)
        let before = try Decoded(input)
        let rate = Rational(Int((1 / (before.times[1] - before.times[0])).rounded()), 1)
        _ = try Run.transcode(input, to: output) { ($0.deinterlace, $0.frameRate) = (.field, rate) }
        #expect(try Decoded(output).frames.count == before.frames.count)
    }

    /// 24000/1001 frames per second; the input of the pulldown.
    private static let movie = VideoRecipe {
        ($0.frameRate, $0.size) = (Rational(30000, 1001), PixelSize(320, 192))
        ($0.times, $0.timeBase) = ((0..<48).map { Int64($0) }, Rational(1001, 24000))
        $0.options += [("crf", "8")]
    }

    private static let telecined = VideoRecipe {
        ($0.frameRate, $0.size, $0.frameCount) = (Rational(30000, 1001), PixelSize(320, 192), 60)
        $0.filters = "telecine=first_field=top:pattern=23,setfield=tff"
        $0.options += [("crf", "8"), ("flags", "+ildct+ilme")]
    }

    @Test("inverse telecine restores the frames of 3:2 pulldown", arguments: ["mp4", "mkv"])
    func telecine(pathExtension: String) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(Self.movie).write(to: directory.file("movie.mkv"))
        try MovieRecipe(Self.telecined).write(to: input)
        let run = try Run.transcode(input, to: output) {
            ($0.deinterlace, $0.quality) = (.telecine, Quality(90))
        }
        let (movie, found) = (try Decoded(directory.file("movie.mkv")), try Decoded(output))
        #expect(run.plan.video.frameRate == Rational(24000, 1001))
        let wanted = try Double(Decoded(input).frames.count) * 0.8
        #expect(abs(Double(found.frames.count) - wanted) <= 1)
        expectSame(
            found.times.map { $0 - found.times[0] }, found.times.indices.map { Double($0) * 1001 / 24000 },
            within: 0.0011)
        // In the middle, where frames have neighbors, each equals the original.
        for (one, other) in zip(movie.frames, found.frames).dropFirst(4).dropLast(4) {
            #expect(one.psnr(against: other) > 32)
        }
    }

    @Test("frames that are progressive and as many as before the pulldown have none, which a notice says")
    func noPulldown() throws {
        let (progressive, output) = (directory.file("progressive.mkv"), directory.file("out.mkv"))
        try MovieRecipe(VideoRecipe { $0.frameRate = Rational(24, 1) }).write(to: progressive)
        let run = try Run.transcode(progressive, to: output) { $0.deinterlace = .telecine }
        #expect(run.messages("source.pulldown").first?.contains("24 progressive frames") == true)
        try MovieRecipe(Self.telecined).write(to: directory.file("in.mkv"))
        let other = try Run.transcode(directory.file("in.mkv"), to: directory.file("two.mkv")) {
            $0.deinterlace = .telecine
        }
        #expect(other.messages("source.pulldown").isEmpty)
    }

    @Test("video without pulldown is refused")
    func refusals() throws {
        let input = try directory.clip()
        let error = Run.failure(input, to: directory.file("out.mkv")) { $0.deinterlace = .telecine }
        #expect(error?.kind == .telecine && error?.message.contains("25 frames a second") == true)
        let deep = VideoRecipe { ($0.frameRate, $0.pixelFormat, $0.frameCount) = (Rational(30, 1), "yuv420p10le", 5) }
        try MovieRecipe(deep).write(to: directory.file("deep.mkv"))
        let other = Run.failure(directory.file("deep.mkv"), to: directory.file("out.mkv")) {
            $0.deinterlace = .telecine
        }
        #expect(other?.kind == .telecine && other?.message.contains("8 bits") == true)
    }
}

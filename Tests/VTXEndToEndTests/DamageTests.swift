import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Truncated and damaged sources")
struct DamageTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func movie(_ pathExtension: String) -> MovieRecipe {
        MovieRecipe(VideoRecipe { $0.frameCount = 50 }, AudioRecipe { $0.seconds = 2 }) {
            if pathExtension == "mp4" { $0.muxerOptions = [("movflags", "+faststart")] }
        }
    }

    @Test(
        "a truncated file gives every existing frame, and is reported", arguments: ["mp4", "mkv", "ts"],
        [0.51, 0.7])
    func truncated(pathExtension: String, fraction: Double) throws {
        let (whole, cut) = (directory.file("whole.\(pathExtension)"), directory.file("cut.\(pathExtension)"))
        try movie(pathExtension).write(to: whole)
        try Files.truncate(whole, to: fraction, as: cut)
        let output = directory.file("out.mkv")
        let run = try Run.transcode(cut, to: output)
        let readable = try Decoded(cut).frames.count
        #expect(readable > 10 && readable < 50)
        #expect(try Decoded(output).frames.count == readable && run.result.frames == readable)
        #expect(run.result.outcome == .incompleteSource)
        #expect(run.notices.contains { $0.category == .warning })
    }

    @Test("a Matroska file without its last bytes is reported as truncated", arguments: [1, 8, 300])
    func almostWhole(missing: Int) throws {
        let (whole, cut, output) = (directory.file("whole.mkv"), directory.file("cut.mkv"), directory.file("out.mkv"))
        try movie("mkv").write(to: whole)
        try Files.write(Array(try Files.read(whole).dropLast(missing)), to: cut)
        let run = try Run.transcode(cut, to: output)
        #expect(run.result.outcome == .incompleteSource)
        #expect(run.messages("source.endedEarly").first?.contains("\(missing) of its") == true, "\(run.notices)")
        #expect(try Decoded(output).frames.count == (try Decoded(cut).frames.count))
    }

    @Test("a complete file is not reported as truncated", arguments: ["mp4", "mkv", "ts", "mov"], [0.0, 20])
    func whole(pathExtension: String, start: Double) throws {
        let (input, output) = (directory.file("in.\(pathExtension)"), directory.file("out.mkv"))
        var movie = movie(pathExtension)
        movie.startSeconds = start
        try movie.write(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.result.outcome == .completed)
        #expect(!run.notices.contains { $0.category == .warning })
    }

    @Test(
        "flipped bits lose frames, but never cause a crash, a hang or an incomplete output",
        arguments: ["mp4", "mkv", "ts", "avi"],
        1...8)
    func bitFlips(pathExtension: String, seed: Int) throws {
        let (whole, damaged) = (directory.file("whole.\(pathExtension)"), directory.file("damaged.\(pathExtension)"))
        let codec = seed % 4 == 0 && pathExtension != "avi" ? VideoRecipe.hevc : VideoRecipe()
        try MovieRecipe(codec, .ac3).write(to: whole)
        try Files.flip(whole, bits: 1 << (seed % 6), seed: UInt64(seed), as: damaged)
        let output = directory.file("out.mp4")
        if let error = Run.failure(damaged, to: output) {
            #expect([.input, .unsupported, .internal].contains(error.category), "\(error)")
            #expect(!directory.names.contains { $0.contains("out") }, "\(directory.names)")
        } else {
            #expect(directory.names.filter { $0.contains("out") } == ["out.mp4"])
            #expect(try !Decoded(output).frames.isEmpty)
        }
    }

    @Test("damaged frames are counted, and all others are output")
    func damagedPictures() throws {
        let (whole, damaged) = (directory.file("whole.mkv"), directory.file("damaged.mkv"))
        try MovieRecipe(VideoRecipe { $0.keyFrameInterval = 5 }).write(to: whole)
        let count = try Files.read(whole).count
        try Files.flip(whole, bits: 40, seed: 3, from: count / 2, as: damaged)
        let output = directory.file("out.mkv")
        let run = try Run.transcode(damaged, to: output)
        #expect(run.result.outcome == .incompleteSource)
        #expect(run.notices.contains { $0.code == "source.concealed" || $0.code == "source.undecodable" })
        #expect(run.result.frames > 12)
        #expect(try Decoded(output).errors == 0)
    }

    @Test(
        "damage in the middle of a picture is always detected",
        arguments: [VideoRecipe.blocks("libx264"), .blocks("libx265")])
    func overwritten(recipe: VideoRecipe) throws {
        let (whole, damaged) = (directory.file("whole.mp4"), directory.file("damaged.mp4"))
        try MovieRecipe(recipe) { $0.muxerOptions = [("movflags", "+faststart")] }.write(to: whole)
        var bytes = try Files.read(whole)
        // HEVC's arithmetic decoder reads past some of it without noticing.
        for part in 10..<50 {
            let place = bytes.count * part / 54
            bytes.replaceSubrange(place..<place + 16, with: [UInt8](repeating: 0xff, count: 16))
        }
        try Files.write(bytes, to: damaged)
        let runs = try (0..<5).map { try Run.transcode(damaged, to: directory.file("\($0).mkv")) }
        #expect(runs.allSatisfy { $0.result.outcome == .incompleteSource })
        #expect(Set(runs.map(\.notices)).count == 1 && runs[0].notices.contains { $0.code == "source.concealed" })
    }

    @Test("pictures before the first key frame are reported, but not as damage")
    func leading() throws {
        let input = directory.file("in.mkv")
        var movie = MovieRecipe(VideoRecipe { $0.frameCount = 50 })
        movie.lost = [0: 0..<15]
        try movie.write(to: input)
        let run = try Run.transcode(input, to: directory.file("out.mkv"))
        #expect(run.result.frames == 25 && run.result.outcome == .completed)
        #expect(
            run.messages("source.leading") == [
                "10 pictures before the first key frame cannot be decoded and are dropped"
            ])
    }

    @Test("a timestamp discontinuity is removed and counted")
    func discontinuity() throws {
        let parts = ["a.ts", "b.ts"].map(directory.file)
        try MovieRecipe(VideoRecipe(), .mp2) { $0.startSeconds = 2 }.write(to: parts[0])
        try MovieRecipe(VideoRecipe(), .mp2) { $0.startSeconds = 500 }.write(to: parts[1])
        let joined = directory.file("joined.ts")
        try Files.write(try Files.read(parts[0]) + (try Files.read(parts[1])), to: joined)
        let output = directory.file("out.mkv")
        let run = try Run.transcode(joined, to: output)
        let times = try Decoded(output).times
        #expect(times.count == 50)
        #expect((times.last ?? 0) - (times.first ?? 0) < 2.5)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0.0 < $0.1 })
        #expect(run.notices.contains { $0.code == "source.discontinuity" })
    }

    @Test(
        "a wrapped counter continues, in every container", arguments: ["mp4", "mkv", "ts"],
        [TimestampPolicy.auto, .source])
    func wrap(pathExtension: String, policy: TimestampPolicy) throws {
        let input = directory.file("in.ts")
        let start = Double(1 << 33) / 90_000 - 1
        try MovieRecipe(VideoRecipe { $0.frameCount = 75 }, .mp2) { $0.startSeconds = start }.write(to: input)
        let output = directory.file("out.\(pathExtension)")
        let run = try Run.transcode(input, to: output) { $0.timestamps = policy }
        #expect(run.result.frames == 75 && !run.notices.contains { $0.code.hasPrefix("source.") })
        let times = try Decoded(output).times
        #expect(times.count == 75 && zip(times, times.dropFirst()).allSatisfy { $0.0 < $0.1 })
        #expect(abs((times.last ?? 0) - (times.first ?? 0) - 74.0 / 25) < 0.002)
    }

    @Test(
        "damaged timestamps do not change other frames' times",
        arguments: [("mp4", 3600.0), ("mkv", 20), ("ts", 3600)],
        [30..<31, 33..<39])
    func strays(from container: (pathExtension: String, seconds: Double), packets: Range<Int>) throws {
        let (whole, damaged) = ("whole", "damaged")
        var movie = MovieRecipe(VideoRecipe { $0.frameCount = 75 }, AudioRecipe { $0.seconds = 3 })
        movie.video[0].options = [("preset", "veryfast"), ("x264-params", "bframes=4:b-pyramid=normal:b-adapt=0")]
        try movie.write(to: directory.file("\(whole).\(container.pathExtension)"))
        movie.strays = [.init(0, packets, container.seconds), .init(1, packets, container.seconds)]
        try movie.write(to: directory.file("\(damaged).\(container.pathExtension)"))
        for audio in [AudioChoice.copy, .encode(.opus)] {
            let times = try [whole, damaged].map { name in
                let output = directory.file("\(name)-out.mkv")
                let run = try Run.transcode(directory.file("\(name).\(container.pathExtension)"), to: output) {
                    $0.audio = audio
                    $0.overwrite = .replace
                }
                #expect(run.notices.contains { $0.code == "source.timestamps" } == (name == damaged))
                return try (video: Decoded(output).times, audio: MediaFile(output).times(.audio))
            }
            expectSame(times[1].video, times[0].video, within: 0.0011)
            // Matroska rounds the length of each packet to a millisecond.
            expectSame(times[1].audio, times[0].audio, within: 0.0025)
        }
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Streams other than video")
struct StreamTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let forced = Disposition(rawValue: 0x40)
    private static let comment = Disposition(rawValue: 0x08)

    /// Two languages of audio, subtitles, tags and chapters.
    static let clip = MovieRecipe(VideoRecipe(), .aac) {
        $0.audio[0].metadata = [MetadataEntry("language", "eng"), MetadataEntry("title", "Original")]
        $0.audio.append(
            AudioRecipe {
                $0.frequency = 880
                $0.disposition = comment
                $0.metadata = [MetadataEntry("language", "deu"), MetadataEntry("title", "Kommentar")]
            })
        $0.subtitles = [
            SubtitleRecipe {
                $0.metadata = [MetadataEntry("language", "fra")]
                $0.disposition = forced
            }
        ]
        $0.metadata = [MetadataEntry("title", "A clip"), MetadataEntry("artist", "An artist")]
        $0.chapters = [Chapter(1, 0, 400, "First"), Chapter(2, 400, 1000, "Second")]
    }

    @Test("tags, languages, dispositions, titles and chapters are kept", arguments: ["mkv", "mp4", "mov"])
    func descriptions(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try Self.clip.write(to: input)
        _ = try Run.transcode(input, to: output)
        let file = try MediaFile(output)
        #expect(file.demuxer.metadata["title"] == "A clip" && file.demuxer.metadata["artist"] == "An artist")
        #expect(file.demuxer.chapters.map { $0.metadata["title"] } == ["First", "Second"])
        #expect(file.demuxer.chapters.map(\.start.seconds) == [0, 0.4])
        #expect(file.demuxer.chapters.last?.end.seconds == 1)
        // QuickTime's table of languages has German under its other ISO 639-2 code.
        #expect(file.streams(.audio).map { $0.language == "ger" ? "deu" : $0.language } == ["eng", "deu"])
        #expect(
            file.streams(.audio).map { $0.metadata["title"] ?? $0.metadata["handler_name"] } == [
                "Original", "Kommentar",
            ])
        #expect(file.streams(.subtitle).map(\.language) == ["fra"])
        #expect(file.streams(.audio).map { $0.disposition.contains(.default) } == [true, false])
    }

    @Test("streams are in the order of their list", arguments: ["mkv", "mp4", "ts"])
    func order(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let languages = ["eng", "deu", "fra"]
        let clip = MovieRecipe(VideoRecipe()) { movie in
            movie.audio = languages.map { language in
                AudioRecipe { $0.metadata = [MetadataEntry("language", language)] }
            }
        }
        try clip.write(to: input)
        let run = try Run.transcode(input, to: output) { $0.selection.audio = StreamFilter("2,de,0") ?? .none }
        let found = try MediaFile(output).streams
        #expect(found.map(\.kind) == [.video, .audio, .audio, .audio])
        #expect(found.dropFirst().map(\.language) == ["fra", "deu", "eng"])
        let mapped = run.plan.ffmpegCommand.enumerated().filter { $0.element == "-map" }.map {
            run.plan.ffmpegCommand[$0.offset + 1]
        }
        #expect(mapped == ["0:0", "0:3", "0:2", "0:1"])
    }

    @Test(
        "no subtitle becomes a default if the source has none, in MP4 and QuickTime", arguments: ["mp4", "mov"],
        [[false, false], [false, true], [true, false]])
    func enabledSubtitles(pathExtension: String, defaults: [Bool]) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        let clip = MovieRecipe(VideoRecipe(), .aac) { movie in
            movie.subtitles = defaults.map { isDefault in
                SubtitleRecipe { $0.disposition = isDefault ? .default : [] }
            }
        }
        try clip.write(to: input)
        for isFragmented in [false, true] {
            _ = try Run.transcode(input, to: output) {
                $0.overwrite = .replace
                $0.isFragmented = isFragmented
            }
            let file = try MediaFile(output)
            #expect(file.streams(.subtitle).map { $0.disposition.contains(.default) } == defaults)
            #expect(file.packets(.subtitle).count >= 2)
            #expect(file.streams(.video)[0].disposition.contains(.default))
            #expect(file.streams(.audio)[0].disposition.contains(.default))
        }
    }

    @Test("dispositions that Matroska supports are kept")
    func dispositions() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try Self.clip.write(to: input)
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        #expect(after.streams.map(\.disposition.names) == before.streams.map(\.disposition.names))
        #expect(before.streams(.audio)[1].disposition.contains(Self.comment))
        #expect(before.streams(.subtitle)[0].disposition.contains(Self.forced))
    }

    @Test("chapters and tags can be dropped")
    func without() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try Self.clip.write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.selection.keepsChapters = false
            $0.selection.keepsMetadata = false
        }
        let file = try MediaFile(output)
        #expect(file.demuxer.chapters.isEmpty)
        #expect(file.demuxer.metadata["title"] == nil && file.demuxer.metadata["artist"] == nil)
        #expect(file.streams.allSatisfy { $0.metadata["title"] == nil })
        #expect(file.streams(.audio).map(\.language) == (try MediaFile(input)).streams(.audio).map(\.language))
    }

    @Test("MP4 has titles where players read them, and lost tags are reported")
    func titles() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(VideoRecipe()) {
            $0.metadata = [("title", "T"), ("ARTIST", "A"), ("PURL", "x")].map { MetadataEntry($0.0, $0.1) }
        }
        .write(to: input)
        let run = try Run.transcode(input, to: output)
        let text = String(decoding: try Files.read(output), as: UTF8.self)
        #expect(text.contains("ilst") && !text.contains("mdta"))
        let tags = try MediaFile(output).demuxer.metadata
        #expect(tags["title"] == "T" && tags["artist"] == "A")
        #expect(run.messages("downgrade.metadata").first?.contains("PURL") == true)
    }

    @Test("a second video stream is copied with its container's metadata", arguments: ["mp4", "mov"])
    func secondVideo(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.\(pathExtension)"))
        let second = VideoRecipe {
            $0.size = PixelSize(64, 48)
            $0.displayMatrix = .turning(.rotated90)
            $0.disposition = []
        }
        try MovieRecipe { $0.video = [VideoRecipe(), second] }.write(to: input)
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        let copy = try #require(after.streams(.video).last)
        #expect(copy.parameters.size == PixelSize(64, 48) && copy.displayMatrix?.orientation == .rotated90)
        #expect(after.packets[copy.index].map(\.bytes) == before.packets[1].map(\.bytes))
    }

    @Test("360° video keeps its mapping, except where it is lost with a notice", arguments: ["mp4", "mkv", "mov"])
    func projection(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        // An equirectangular AVSphericalMapping without rotation.
        let mapping = [UInt8](repeating: 0, count: 36)
        let video = VideoRecipe { $0.projection = VideoProjection(spherical: mapping, stereo: []) }
        try MovieRecipe(video).write(to: input)
        let run = try Run.transcode(input, to: output)
        let isKept = pathExtension != "mov"
        #expect(try MediaFile(output).video?.projection?.spherical == (isKept ? mapping : nil))
        #expect(run.messages("downgrade.projection").isEmpty == isKept)
        let cropped = try Run.transcode(input, to: directory.file("cropped.mp4")) {
            $0.crop = .region(PixelRegion(size: PixelSize(32, 32)))
        }
        #expect(!cropped.messages("downgrade.projection").isEmpty)
    }

    @Test("cues that lose their position are counted", arguments: ["mp4", "mkv"])
    func positions(pathExtension: String) throws {
        let cues = [SubtitleRecipe.Cue(0.1, 0.4, "{\\an8}top"), .init(0.5, 0.9, "{\\an2}bottom")]
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe()) { $0.subtitles = [SubtitleRecipe { $0.cues = cues }] }.write(to: input)
        let lost = try Run.transcode(input, to: directory.file("out.\(pathExtension)"))
            .messages("downgrade.subtitleStyle")
        #expect(lost.count == (pathExtension == "mp4" ? 1 : 0))
        #expect(lost.allSatisfy { $0.hasPrefix("1 cue of subtitle stream 1") })
    }

    @Test("text subtitles keep their text from Matroska to MP4 and back")
    func subtitles() throws {
        let files = ["a.mkv", "b.mp4", "c.mkv"].map(directory.file)
        let cues = [SubtitleRecipe.Cue(0.1, 0.4, "Grüße, Welt"), .init(0.5, 0.9, "<i>second</i> line")]
        try MovieRecipe(VideoRecipe()) { $0.subtitles = [SubtitleRecipe { $0.cues = cues }] }.write(
            to: files[0])
        let first = try Run.transcode(files[0], to: files[1])
        #expect(first.messages("conversion.subtitle").count == 1)
        #expect(try MediaFile(files[1]).streams(.subtitle).first?.parameters.codecName == "mov_text")
        _ = try Run.transcode(files[1], to: files[2])
        let back = try MediaFile(files[2])
        #expect(back.streams(.subtitle).first?.parameters.codecName == "subrip")
        let packets = back.packets(.subtitle)
        #expect(packets.map { String(decoding: $0.bytes, as: UTF8.self) } == cues.map(\.text))
        #expect(packets.compactMap { $0.pts?.seconds } == cues.map(\.start))
        expectSame(packets.map(\.duration.seconds), [0.3, 0.4], within: 0.002)
    }

    @Test("a cue that is too long for MP4 is reported as lost, and is the only one")
    func longCue() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        let styled = String(repeating: "<i>a</i>b", count: 5_000)
        let cues = [
            SubtitleRecipe.Cue(0.1, 0.4, styled), .init(0.5, 0.9, String(repeating: "long ", count: 14_000)),
        ]
        try MovieRecipe(VideoRecipe()) { $0.subtitles = [SubtitleRecipe { $0.cues = cues }] }.write(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.messages("downgrade.longCue").count == 1 && run.result.outcome == .completed)
        // The text's length, the text, and its styles.
        let texts = try MediaFile(output).packets(.subtitle).map(\.bytes).filter { $0.count > 2 }
        #expect(texts.map { (Int($0[0]) << 8 | Int($0[1])) >= 10_000 } == [true])
        let error = Run.failure(input, to: directory.file("no.mp4")) { $0.forbidsDowngrades = true }
        #expect(error?.category == .unsupported && error?.code == "downgrade.longCue")
        #expect(directory.names == ["in.mkv", "out.mp4"])
    }

    @Test("ASS subtitles are kept in Matroska and become text in MP4", arguments: ["mkv", "mp4"])
    func ass(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try MovieRecipe(VideoRecipe()) { $0.subtitles = [SubtitleRecipe { $0.codec = "ass" }] }.write(
            to: input)
        _ = try Run.transcode(input, to: output)
        let (before, after) = (try MediaFile(input), try MediaFile(output))
        #expect(
            after.streams(.subtitle).first?.parameters.codecName == (pathExtension == "mkv" ? "ass" : "mov_text"))
        if pathExtension == "mkv" {
            #expect(after.packets(.subtitle) == before.packets(.subtitle))
            #expect(
                after.streams(.subtitle)[0].parameters.extradata
                    == before.streams(.subtitle)[0].parameters.extradata)
        }
        let text = after.packets(.subtitle).map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(text.contains { $0.contains("one") } && text.contains { $0.contains("two") })
    }

    @Test("streams that a transport stream does not support are listed")
    func transportStream() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.ts"))
        try Self.clip.write(to: input)
        let run = try Run.transcode(input, to: output)
        #expect(run.messages("downgrade.stream").count == 1)
        #expect(run.messages("downgrade.stream")[0].contains("subrip"))
        #expect(
            run.messages("downgrade.chapters").count == 1 && run.messages("downgrade.metadata").count == 1)
        #expect(try MediaFile(output).streams.map(\.kind) == [.video, .audio, .audio])
        #expect(try MediaFile(output).streams(.audio).map(\.language) == ["eng", "deu"])
        #expect(run.result.notices == run.notices)
    }

    @Test("only a loss is a downgrade", arguments: ["mkv", "mp4"])
    func nothingLost(pathExtension: String) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(pathExtension)"))
        try Self.clip.write(to: input)
        let run = try Run.transcode(input, to: output) { $0.forbidsDowngrades = true }
        #expect(run.notices.allSatisfy { $0.category == .conversion })
    }

    @Test("downgrades can be forbidden")
    func forbidden() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.ts"))
        try Self.clip.write(to: input)
        let error = Run.failure(input, to: output) { $0.forbidsDowngrades = true }
        #expect(error?.category == .unsupported && error?.code.hasPrefix("downgrade.") == true)
        #expect(directory.names == ["in.mkv"])
    }
}

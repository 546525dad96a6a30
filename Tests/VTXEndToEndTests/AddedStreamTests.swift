import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Streams of added files")
struct AddedStreamTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static let movie = MovieRecipe(VideoRecipe { $0.frameCount = 50 }, AudioRecipe { $0.seconds = 2 }) {
        $0.subtitles = [SubtitleRecipe { $0.metadata = [MetadataEntry("language", "eng")] }]
    }

    private static let srt = """
        1
        00:00:00,500 --> 00:00:00,900
        eins

        2
        00:00:01,200 --> 00:00:01,600
        zwei

        3
        00:00:03,000 --> 00:00:03,400
        drei
        """

    private func movie(_ name: String = "movie.mkv", _ change: (inout MovieRecipe) -> Void = { _ in }) throws -> String
    {
        var recipe = Self.movie
        change(&recipe)
        let path = directory.file(name)
        try recipe.write(to: path)
        return path
    }

    private func subtitles(_ name: String = "movie.de.srt", _ text: String = srt) throws -> AddedFile {
        try Files.write(text, to: directory.file(name))
        return AddedFile(directory.file(name))
    }

    private func audio(_ name: String = "movie.deu.mka", _ recipe: AudioRecipe = .aac) throws -> AddedFile {
        let path = directory.file("audio.mkv")
        try MovieRecipe { $0.audio = [recipe] }.write(to: path)
        try Files.write(Files.read(path), to: directory.file(name))
        return AddedFile(directory.file(name))
    }

    /// The start times of the last subtitle stream's cues with text. MP4 has an empty cue before each.
    private func cues(_ path: String) throws -> [Double] {
        let file = try MediaFile(path)
        let stream = try #require(file.streams(.subtitle).last)
        return file.packets[stream.index].filter { $0.bytes.count > 2 }.compactMap { $0.pts?.seconds }
    }

    @Test(
        "subtitles follow the source's, in the container's format",
        arguments: [("mkv", "subrip"), ("mp4", "mov_text"), ("mov", "mov_text")])
    func subtitleForms(pathExtension: String, codec: String) throws {
        let output = directory.file("out.\(pathExtension)")
        var file = try subtitles()
        file.marks.title = "Deutsch"
        let added = file
        let run = try Run.transcode(try movie(), to: output) { $0.addedSubtitles = [added] }
        let streams = try MediaFile(output).streams(.subtitle)
        #expect(streams.map(\.codecName) == [codec, codec])
        // Matroska has ISO 639-2/B's codes, QuickTime either.
        #expect(["deu", "ger"].contains(streams.last?.language))
        #expect(streams.first?.language == "eng")
        let name = pathExtension == "mkv" ? "title" : "handler_name"
        #expect(streams.last?.metadata[name] == "Deutsch")
        expectSame(try cues(output), [0.5, 1.2, 3], within: 0.002)
        let label = run.plan.streams.last?.source.label ?? ""
        #expect(label.contains("movie.de.srt") && label.contains("deu"))
    }

    @Test("Matroska stores the region of a language; the loss in others is reported", arguments: ["mkv", "mp4", "ts"])
    func region(pathExtension: String) throws {
        var sound = try audio()
        sound.marks.language = "por-BR"
        let output = directory.file("out.\(pathExtension)")
        let added = sound
        let run = try Run.transcode(try movie(), to: output) { $0.addedAudio = [added] }
        let isKept = pathExtension == "mkv"
        #expect(try MediaFile(output).streams(.audio).last?.language == (isKept ? "por-BR" : "por"))
        #expect(run.messages("downgrade.language").count == (isKept ? 0 : 1))
    }

    @Test("WebM gets WebVTT, and a transport stream reports that it does not support text")
    func otherForms() throws {
        let file = try subtitles()
        let (webm, ts) = (directory.file("out.webm"), directory.file("out.ts"))
        _ = try Run.transcode(try movie(), to: webm) { ($0.codec, $0.addedSubtitles) = (.av1, [file]) }
        #expect(try MediaFile(webm).streams(.subtitle).last?.codecName == "webvtt")
        let run = try Run.transcode(try movie(), to: ts) { $0.addedSubtitles = [file] }
        #expect(run.messages("downgrade.stream").contains { $0.contains("movie.de.srt") })
    }

    @Test("ASS keeps its styles in Matroska, and their loss in MP4 is reported")
    func styles() throws {
        let recipe = SubtitleRecipe { $0.codec = "ass" }
        try MovieRecipe { $0.subtitles = [recipe] }.write(to: directory.file("styled.mkv"))
        let file = AddedFile(directory.file("styled.mkv"))
        let run = try Run.transcode(try movie(), to: directory.file("out.mp4")) { $0.addedSubtitles = [file] }
        #expect(run.messages("downgrade.subtitleStyle").count == 1)
        _ = try Run.transcode(try movie(), to: directory.file("out.mkv")) { $0.addedSubtitles = [file] }
        #expect(try MediaFile(directory.file("out.mkv")).streams(.subtitle).map(\.codecName) == ["subrip", "ass"])
    }

    @Test("times count from the source's beginning", arguments: ["mkv", "mp4"])
    func origin(pathExtension: String) throws {
        let output = directory.file("out.\(pathExtension)")
        let (text, sound) = (try subtitles(), try audio())
        let input = try movie("movie.ts") { ($0.startSeconds, $0.subtitles) = (30, []) }
        _ = try Run.transcode(input, to: output) { ($0.addedSubtitles, $0.addedAudio) = ([text], [sound]) }
        let file = try MediaFile(output)
        let begin = try #require(file.times(.audio).first)
        expectSame(try cues(output).map { $0 - begin }, [0.5, 1.2, 3], within: 0.03)
        let added = try #require(file.streams(.audio).last)
        let first = try #require(file.packets[added.index].first?.pts?.seconds)
        #expect(abs(first - begin) < 0.05)
    }

    @Test("a cut of the source also cuts them")
    func cut() throws {
        let output = directory.file("out.mkv")
        let (text, sound) = (try subtitles(), try audio("long.mka", AudioRecipe { $0.seconds = 10 }))
        _ = try Run.transcode(try movie(), to: output) {
            ($0.addedSubtitles, $0.addedAudio) = ([text], [sound])
            ($0.start, $0.duration) = (0.7, 1)
        }
        // The first one is visible at the start.
        expectSame(try cues(output), [0, 0.5], within: 0.03)
        let file = try MediaFile(output)
        let added = try #require(file.streams(.audio).last)
        let times = file.packets[added.index].compactMap { $0.pts?.seconds }
        #expect((times.first ?? 9) < 0.03 && (0.9..<1).contains(times.last ?? 0))
    }

    @Test("a stream longer than the source is kept")
    func longer() throws {
        let output = directory.file("out.mkv")
        let sound = try audio("long.mka", AudioRecipe { $0.seconds = 5 })
        let run = try Run.transcode(try movie(), to: output) { $0.addedAudio = [sound] }
        let file = try MediaFile(output)
        let added = try #require(file.streams(.audio).last)
        #expect((file.packets[added.index].last?.pts?.seconds ?? 0) > 4.9 && run.result.frames == 50)
    }

    @Test(
        "audio is copied if the container supports it, else converted like the source's",
        arguments: [("mkv", "flac", "flac"), ("mov", "flac", "aac"), ("mp4", "libopus", "opus")])
    func audioForms(pathExtension: String, encoder: String, codec: String) throws {
        let output = directory.file("out.\(pathExtension)")
        let sound = try audio("movie.deu.mka", encoder == "flac" ? .flac : .opus)
        let run = try Run.transcode(try movie(), to: output) { $0.addedAudio = [sound] }
        let streams = try MediaFile(output).streams(.audio)
        #expect(streams.map(\.codecName) == ["aac", codec])
        #expect(["deu", "ger"].contains(streams.last?.language))
        #expect(run.messages("conversion.audio").isEmpty == (codec != "aac"))
        #expect(try Decoded(output, .audio, at: 1).sampleCount >= 47_000)
    }

    @Test("a default stream is the only default of its kind")
    func marks() throws {
        let output = directory.file("out.mkv")
        var (text, sound) = (try subtitles("movie.fr.forced.srt"), try audio())
        (text.marks.isDefault, sound.marks.isDefault) = (true, true)
        let (added, heard) = (text, sound)
        _ = try Run.transcode(try movie(), to: output) { ($0.addedSubtitles, $0.addedAudio) = ([added], [heard]) }
        let file = try MediaFile(output)
        #expect(file.streams(.audio).map { $0.disposition.contains(.default) } == [false, true])
        let last = try #require(file.streams(.subtitle).last)
        #expect(last.disposition.contains(.forced) && last.disposition.contains(.default))
        #expect(["fra", "fre"].contains(last.language))
    }

    @Test("dropped streams do not drop added ones")
    func selection() throws {
        let output = directory.file("out.mkv")
        let (text, sound) = (try subtitles(), try audio())
        _ = try Run.transcode(try movie(), to: output) {
            ($0.addedSubtitles, $0.addedAudio) = ([text], [sound])
            ($0.selection.audio, $0.selection.subtitles) = (.none, .none)
        }
        let file = try MediaFile(output)
        #expect(file.streams(.audio).count == 1 && file.streams(.subtitle).count == 1)
    }

    @Test("added streams work with copied video")
    func copied() throws {
        let output = directory.file("out.mp4")
        let (text, sound) = (try subtitles(), try audio())
        _ = try Run.transcode(try movie(), to: output) {
            ($0.codec, $0.preset, $0.copiesVideo) = (nil, .balanced, true)
            ($0.addedSubtitles, $0.addedAudio) = ([text], [sound])
        }
        expectSame(try cues(output), [0.5, 1.2, 3], within: 0.002)
        #expect(try MediaFile(output).streams(.audio).count == 2)
    }

    @Test("an invalid file has an error")
    func refusals() throws {
        let input = try movie()
        let latin = directory.file("latin.srt")
        try Files.write(Array("1\n00:00:00,500 --> 00:00:00,900\nSch".utf8) + [0xF6, 0x6E, 0x0A], to: latin)
        try Files.write([], to: directory.file("empty.srt"))
        try Files.write([UInt8](repeating: 7, count: 5000), to: directory.file("noise.srt"))
        let files: [(String, ErrorKind)] = [
            ("latin.srt", .inputEncoding), ("missing.srt", .inputNotFound), ("empty.srt", .inputEmpty),
            ("noise.srt", .inputNotMedia), ("movie.deu.mka", .inputNoSubtitles), (".", .inputNotAFile),
        ]
        _ = try audio()
        for (name, kind) in files {
            let error = Run.failure(input, to: directory.file("out.mkv")) {
                $0.addedSubtitles = [AddedFile(directory.file(name))]
            }
            #expect(error?.kind == kind && error?.message.contains(name == "." ? "'" : name) == true, "\(name)")
        }
        let text = try subtitles()
        #expect(Run.failure(input, to: directory.file("out.mkv")) { $0.addedAudio = [text] }?.kind == .inputNoAudio)
    }

    @Test("UTF-16 with a byte order mark is text")
    func wide() throws {
        let output = directory.file("out.mkv")
        let bytes = [UInt8]([0xFF, 0xFE]) + Self.srt.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        try Files.write(bytes, to: directory.file("wide.srt"))
        let file = AddedFile(directory.file("wide.srt"))
        _ = try Run.transcode(try movie(), to: output) { $0.addedSubtitles = [file] }
        expectSame(try cues(output), [0.5, 1.2, 3], within: 0.002)
    }

    @Test("the output is never an added file")
    func distinct() throws {
        let file = try audio("movie.mka")
        let error = Run.failure(try movie(), to: file.path) {
            ($0.addedAudio, $0.overwrite) = ([file], .replace)
        }
        #expect(error?.kind == .outputIsInput || error?.kind == .outputExtension)
    }
}

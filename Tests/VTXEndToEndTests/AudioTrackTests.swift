import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Audio tracks")
struct AudioTrackTests {
    private let directory: TemporaryDirectory
    private let input: String

    init() throws {
        directory = try TemporaryDirectory()
        input = directory.file("in.mkv")
        try StreamTests.clip.write(to: input)
    }

    private func transcode(
        to output: String, _ tracks: [String], change: @escaping @Sendable (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> (file: MediaFile, run: Run) {
        let parsed = try tracks.map { try #require(AudioTrack(text: $0)) }
        let run = try Run.transcode(input, to: directory.file(output)) {
            $0.audioTracks = parsed
            change(&$0)
        }
        return (try MediaFile(directory.file(output)), run)
    }

    private func heard(_ output: String, _ position: Int) throws -> Decoded {
        try Decoded(directory.file(output), .audio, at: position)
    }

    @Test("one stream becomes several, in the order of the tracks", arguments: ["mkv", "mp4", "mov"])
    func several(pathExtension: String) throws {
        let output = "out.\(pathExtension)"
        let (file, _) = try transcode(
            to: output, ["1:aac:bitrate=64k:title=Klein", "0:copy", "0:ac3:channels=mono:language=fr"])
        let source = try MediaFile(input)
        let streams = file.streams(.audio)
        #expect(streams.map(\.codecName) == ["aac", source.streams(.audio)[0].codecName, "ac3"])
        #expect(streams[2].parameters.channelCount == 1)
        #expect(["deu", "ger"].contains(streams[0].language) && ["fra", "fre"].contains(streams[2].language))
        let titles = streams.map { $0.metadata[pathExtension == "mkv" ? "title" : "handler_name"] }
        #expect(titles[0] == "Klein")
        #expect(
            file.packets[streams[1].index].map(\.bytes)
                == source.packets[source.streams(.audio)[0].index].map(\.bytes))
        for position in 0..<3 {
            let decoded = try heard(output, position)
            #expect(decoded.errors == 0 && decoded.sampleCount > 40_000)
        }
    }

    @Test("the request's settings apply to unset fields of a track")
    func defaults() throws {
        let (file, _) = try transcode(to: "out.mkv", ["0", "1:opus", "1:copy"]) { $0.audio = .encode(.flac) }
        let copied = try MediaFile(input).streams(.audio)[1].codecName
        #expect(file.streams(.audio).map(\.codecName) == ["flac", "opus", copied])
    }

    @Test("a track of all streams is one of each")
    func all() throws {
        let (file, _) = try transcode(to: "out.mkv", ["all:copy", "all:opus"])
        #expect(file.streams(.audio).map(\.language) == ["eng", "deu", "eng", "deu"])
        #expect(file.streams(.audio).suffix(2).map(\.codecName) == ["opus", "opus"])
    }

    @Test("the only default track is the chosen one, else the source's")
    func marks() throws {
        let (file, _) = try transcode(to: "a.mkv", ["0:copy", "0:opus:default", "1"])
        #expect(file.streams(.audio).map { $0.disposition.contains(.default) } == [false, true, false])
        let (other, _) = try transcode(to: "b.mkv", ["0:copy", "0:opus"])
        #expect(other.streams(.audio).dropFirst().allSatisfy { !$0.disposition.contains(.default) })
    }

    @Test("added audio follows the tracks")
    func added() throws {
        let path = directory.file("more.mkv")
        try MovieRecipe { $0.audio = [.opus] }.write(to: path)
        let (file, _) = try transcode(to: "out.mkv", ["1:flac"]) { $0.addedAudio = [AddedFile(path)] }
        #expect(file.streams(.audio).map(\.codecName) == ["flac", "opus"])
    }

    @Test("a track of a missing stream is dropped with a warning, and refused if none is left")
    func missing() throws {
        let (file, run) = try transcode(to: "out.mkv", ["0:copy", "ita:opus"])
        #expect(file.streams(.audio).count == 1)
        #expect(run.plan.notices.contains { $0.code == "audio.selection" })
        let error = Run.failure(input, to: directory.file("no.mkv")) {
            $0.audioTracks = [AudioTrack(.only([.language("ita")]))]
        }
        #expect(error?.code == "audio.selection")
    }

    @Test("a track that is selected by its language may get another one")
    func otherLanguage() throws {
        let (file, _) = try transcode(to: "out.mkv", ["deu:opus:language=fr"])
        #expect(file.streams(.audio).count == 1)
        #expect(["fra", "fre"].contains(file.streams(.audio)[0].language))
    }

    @Test("ffmpeg's command has each of them")
    func command() throws {
        let (_, run) = try transcode(to: "out.mkv", ["0:copy", "0:opus:title=Small:bitrate=32k"])
        let words = run.plan.ffmpegCommand.joined(separator: " ")
        #expect(words.contains("-map 0:1 -map 0:1") && words.contains("-b:2 32000"))
        #expect(words.contains("-metadata:s:2 title=Small"))
    }
}

import Testing
import VTXJSON
import VTXMedia
import VTXTask

@Suite("Audio tracks as text")
struct AudioTrackTextTests {
    @Test("a track has streams, encoding and metadata")
    func properties() throws {
        let text = "0,deu:aac:bitrate=160000:channels=stereo:loudness=-16:language=deu:title=Stereo:default"
        let track = try #require(AudioTrack(text: text))
        #expect(track.source == .only([.position(0), .language("deu")]) && track.coding == .encode(.aac))
        #expect(track.bitrate == 160_000 && track.channels == .stereo && track.loudness == -16)
        #expect(track.marks.language == "deu" && track.marks.title == "Stereo" && track.marks.isDefault)
        #expect("\(track)" == text)
    }

    @Test("colons without a property after them belong to the title")
    func title() throws {
        let track = try #require(AudioTrack(text: "all:opus:title=Part 1: the end:bitrate=64k"))
        #expect(track.marks.title == "Part 1: the end" && track.bitrate == 64000)
    }

    @Test(
        "an invalid track is refused",
        arguments: [
            "", "none", "x", "0:", "0:vorbis", "0:bitrate=5", "0:title=a:bitrate=5", "0:channels=7.1", "0:loudness=3",
            "0:copy:bitrate=128k",
            "0:copy:channels=stereo", "0:language=german", "0:forced", "0:none", "-1:aac",
        ])
    func refused(text: String) { #expect(AudioTrack(text: text) == nil) }

    @Test("the option is repeatable, and a list in JSON")
    func list() throws {
        let settings = try TranscodeRequest.settings(["audioTrack": ["0:copy", "0:aac:channels=stereo"]])
        let request = try TranscodeRequest(input: "in", settings: settings)
        #expect(request.audioTracks.map(\.description) == ["0:copy", "0:aac:channels=stereo"])
        #expect(request.jsonSettings["audioTrack"] == ["0:copy", "0:aac:channels=stereo"])
    }

    @Test("tracks exclude a choice of streams and no audio", arguments: [OptionName.audioStreams, .audio])
    func contradiction(option: OptionName) {
        let error = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "in", settings: [option: "none", .audioTrack: "0"])
        }
        #expect(error?.kind == .conflict)
    }
}

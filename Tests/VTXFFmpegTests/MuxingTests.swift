import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Packets through a container")
struct MuxingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("keep their bytes and times", arguments: ["mp4", "mov", "mkv", "ts"])
    func roundTrip(pathExtension: String) throws {
        let recipe = VideoRecipe {
            $0.bFrames = 2
            $0.options = [("preset", "veryfast")]
        }
        let path = directory.file("a.\(pathExtension)")
        try MovieRecipe(recipe, nil) { if pathExtension == "ts" { $0.muxerOptions = [("mpegts_copyts", "1")] } }
            .write(to: path)
        let written = try recipe.encode(globalHeader: pathExtension != "ts").packets
        let read = try MediaFile(path).packets(.video)
        #expect(read.count == written.count)
        // A transport stream has no negative times: all are shifted.
        let shift = (read.first?.pts?.seconds ?? 0) - (written.first?.presentationTime?.seconds ?? 0)
        #expect(pathExtension == "ts" || shift == 0)
        for (old, new) in zip(written, read) {
            let tick = new.pts?.timeBase.value ?? 1
            #expect(abs((old.presentationTime?.seconds ?? -1) + shift - (new.pts?.seconds ?? -2)) <= tick)
            #expect(old.isKeyFrame == new.isKeyFrame)
        }
    }

    @Test("audio keeps its bytes", arguments: ["mp4", "mov", "mkv", "ts"])
    func audioBytes(pathExtension: String) throws {
        let path = directory.file("a.\(pathExtension)")
        try MovieRecipe(VideoRecipe(), .ac3).write(to: path)
        let written = try AudioRecipe.ac3.encode(globalHeader: pathExtension != "ts").packets.map { Array($0.bytes) }
        #expect(try MediaFile(path).packets(.audio).map(\.bytes) == written)
    }

    @Test("tags, chapters, languages and dispositions are kept", arguments: ["mp4", "mkv"])
    func descriptions(pathExtension: String) throws {
        let path = directory.file("a.\(pathExtension)")
        let audio = AudioRecipe {
            $0.metadata = [MetadataEntry("language", "deu")]
            $0.disposition = []
        }
        let movie = MovieRecipe(VideoRecipe(), audio) {
            $0.metadata = [MetadataEntry("title", "A clip")]
            $0.chapters = [Chapter(1, 0, 400, "First"), Chapter(2, 400, 1000, "Second")]
        }
        try movie.write(to: path)
        let file = try MediaFile(path)
        #expect(file.demuxer.metadata["title"] == "A clip")
        #expect(file.demuxer.chapters.map { $0.metadata["title"] } == ["First", "Second"])
        #expect(file.demuxer.chapters.map(\.start.seconds) == [0, 0.4])
        #expect(file.streams(.audio).first?.language == "deu")
    }

    @Test("an unknown muxer option is an error")
    func unknownOption() throws {
        let movie = MovieRecipe(VideoRecipe { $0.frameCount = 1 }) {
            $0.muxerOptions = [("no_such_option", "1")]
        }
        #expect(throws: FFmpegError.self) { try movie.write(to: directory.file("a.mp4")) }
    }

    @Test("a muxer reports its codecs and the place of parameter sets")
    func capabilities() {
        #expect(
            Muxer.holds(codec: "flac", format: "matroska")
                && !Muxer.holds(codec: "mov_text", format: "matroska"))
        #expect(!Muxer.holds(codec: "no such codec", format: "matroska"))
        #expect(Muxer.wantsGlobalHeader(format: "mp4") && !Muxer.wantsGlobalHeader(format: "mpegts"))
        #expect(!Muxer.wantsGlobalHeader(format: "no such format"))
    }

    @Test("cover art is a separate stream in MP4")
    func coverArt() throws {
        let path = directory.file("a.mp4")
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }) { $0.hasCoverArt = true }.write(to: path)
        let file = try MediaFile(path)
        let cover = try #require(file.streams.first { $0.isCoverArt })
        #expect(cover.parameters.codecName == "png")
        #expect(file.packets[cover.index].map(\.bytes) == [try CoverArt.bytes()])
    }

    @Test("Matroska attachments are separate streams")
    func attachments() throws {
        let (plain, font, both) = (directory.file("a.mkv"), directory.file("b.mkv"), directory.file("c.mkv"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: plain)
        try ExtraStream.file(Array("font".utf8), named: "f.ttf", mimeType: "font/ttf").add(to: plain, as: font)
        try ExtraStream.file(try CoverArt.bytes(), named: "cover.png", mimeType: "image/png").add(to: plain, as: both)
        let attached = try #require(try MediaFile(font).streams.first { $0.kind == .attachment })
        #expect(
            attached.parameters.extradata == Array("font".utf8) && attached.metadata["filename"] == "f.ttf")
        #expect(try MediaFile(both).streams.count { $0.isCoverArt } == 1)
    }

    @Test("a second reference has the same bytes and its own times")
    func references() throws {
        let packet = try Packet(bytes: [1, 2, 3], pts: 10, dts: nil, duration: 5, timeBase: Rational(1, 10))
        let second = try packet.reference()
        second.shift(by: 7)
        second.rescale(to: Rational(1, 100))
        #expect(packet.pts == 10 && packet.dts == nil && packet.timeBase == Rational(1, 10))
        #expect(second.pts == 170 && second.dts == nil && second.duration == 50)
        #expect(second.bytes.baseAddress == packet.bytes.baseAddress && Array(second.bytes) == [1, 2, 3])
    }

    @Test("an index shows which packets a truncated file has lost")
    func index() throws {
        let path = directory.file("a.mp4")
        try MovieRecipe(VideoRecipe()) { $0.muxerOptions = [("movflags", "+faststart")] }.write(to: path)
        let demuxer = try Demuxer(path: path)
        let count = Int64(try Files.read(path).count)
        #expect(demuxer.indexedPackets(of: 0, beyond: count) == (25, 0))
        #expect(demuxer.indexedPackets(of: 0, beyond: 0) == (25, 25))
        let some = demuxer.indexedPackets(of: 0, beyond: count - 100).missing
        #expect(some > 0 && some < 25)
    }

    @Test("an index has the key frames; without an index they are unknown")
    func indexedKeyFrames() throws {
        let video = VideoRecipe { ($0.keyFrameInterval, $0.frameCount, $0.bFrames) = (10, 30, 0) }
        for (name, expected) in [("a.mp4", [0, 10, 20]), ("a.ts", [])] {
            try MovieRecipe(video).write(to: directory.file(name))
            let demuxer = try Demuxer(path: directory.file(name))
            let times = demuxer.indexedKeyFrames(of: 0).map { MediaTime($0, demuxer.streams[0].timeBase).seconds }
            #expect(times.map { Int(($0 * 25).rounded()) } == expected)
        }
    }

    @Test("a packet can be hidden, and keeps its other flags")
    func hidden() throws {
        let packet = try Packet(bytes: [1], pts: 0, dts: 0, duration: 1, timeBase: Rational(1, 10))
        packet.isHidden = true
        #expect(packet.isHidden && packet.isKeyFrame && packet.bytes.first == 1)
        packet.isHidden = false
        #expect(!packet.isHidden && packet.isKeyFrame)
    }

    @Test("seeking goes to a key frame at or before the time")
    func seeking() throws {
        let path = directory.file("a.mkv")
        try MovieRecipe(VideoRecipe { $0.keyFrameInterval = 5 }).write(to: path)
        let demuxer = try Demuxer(path: path)
        try demuxer.seek(to: MediaTime(seconds: 0.5))
        let packet = try #require(try demuxer.read())
        #expect(packet.isKeyFrame)
        #expect(packet.presentationTime?.seconds == 0.4)
    }
}

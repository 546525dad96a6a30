import Testing
import VTXFFmpeg
import VTXMedia
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A ladder")
struct LadderTests {
    private let directory: TemporaryDirectory
    private var output: String { directory.file("out") }

    init() throws { directory = try TemporaryDirectory() }

    /// Seven seconds with scene changes, audio that must be converted, and subtitles.
    private func clip(
        _ name: String = "in.mkv", _ change: (inout MovieRecipe) -> Void = { _ in }
    ) throws -> String {
        let path = directory.file(name)
        let video = VideoRecipe {
            ($0.frameRate, $0.frameCount) = (Rational(25, 1), 175)
            $0.size = PixelSize(320, 180)
            $0.filters = "negate=enable='gte(t,1.52)*lte(t,3.2)'"
        }
        var audio = AudioRecipe.flac
        audio.seconds = 7
        audio.metadata = [MetadataEntry("language", "eng")]
        var movie = MovieRecipe(video, audio)
        movie.subtitles = [SubtitleRecipe { $0.metadata = [MetadataEntry("language", "ger")] }]
        change(&movie)
        try movie.write(to: path)
        return path
    }

    private func transcode(
        _ input: String, _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> TranscodeResult {
        var request = TranscodeRequest(input: input, output: output + "/")
        (request.writesHLS, request.writesDASH, request.preset) = (true, true, .fast)
        (request.ladder, request.segmentDuration) = (LadderRequest("180:300k,120:150k"), 4)
        change(&request)
        return try TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }.run()
    }

    private func file(_ name: String) throws -> MediaFile { try MediaFile("\(output)/\(name)") }
    private func text(_ name: String) throws -> String {
        String(decoding: try Files.read("\(output)/\(name)"), as: UTF8.self)
    }

    @Test("has each rendition, audio and subtitles once, and no other file")
    func files() throws {
        let result = try transcode(try clip())
        #expect(result.frames == 175 && result.outcome == .completed)
        #expect(
            directory.names(in: "out").sorted() == [
                "120p-iframes.m3u8", "120p.m3u8", "120p.mp4", "180p-iframes.m3u8", "180p.m3u8", "180p.mp4",
                "audio-1.m3u8", "audio-1.mp4", "manifest.mpd", "master.m3u8", "subtitles-1.m3u8", "subtitles-1.vtt",
                "thumbnails-1.jpg", "thumbnails.vtt",
            ])
        #expect(directory.names(in: ".").sorted() == ["in.mkv", "out"])
        #expect(try file("180p.mp4").video?.parameters.size == PixelSize(320, 180))
        #expect(try file("120p.mp4").video?.parameters.size == PixelSize(214, 120))
        #expect(try file("audio-1.mp4").streams.map(\.codecName) == ["aac"])
        #expect(try text("subtitles-1.vtt").hasPrefix("WEBVTT\n\n00:00:00.100 --> 00:00:00.400\none\n"))
    }

    @Test("has the same frames and key frames in all renditions, every two seconds despite scene changes")
    func alignment() throws {
        _ = try transcode(try clip())
        let files = try ["180p.mp4", "120p.mp4"].map(file)
        for file in files {
            #expect(file.times(.video).count == 175 && file.times(.video).first == 0)
            let keyFrames = file.packets(.video).filter(\.isKeyFrame)
            #expect(keyFrames.compactMap { $0.pts?.seconds } == [0, 2, 4, 6])
            for packet in keyFrames {
                let types = NALUnits.types(packet.bytes, .h264, isAnnexB: false)
                #expect(types.contains { NALUnits.isIDR($0, .h264) })
            }
        }
        #expect(files[0].times(.video) == files[1].times(.video))
        let (one, other) = (try Decoded("\(output)/180p.mp4"), try Decoded("\(output)/120p.mp4"))
        #expect(one.errors == 0 && other.errors == 0 && other.frames.count == 175)
    }

    @Test("follows Apple's rules: durations within the target, aligned segments, measured rates")
    func rules() throws {
        _ = try transcode(try clip())
        let main = try text("master.m3u8")
        #expect(main.contains("NAME=\"en\",LANGUAGE=\"en\",DEFAULT=YES"))
        #expect(main.contains("TYPE=SUBTITLES") && main.contains("LANGUAGE=\"de\""))
        var segments: [[Double]] = []
        for name in ["180p", "120p"] {
            let playlist = try text("\(name).m3u8")
            let lines = playlist.split(separator: "\n")
            let durations = lines.compactMap { $0.hasPrefix("#EXTINF:") ? Double($0.dropFirst(8).dropLast()) : nil }
            #expect(playlist.contains("#EXT-X-TARGETDURATION:4\n") && durations.allSatisfy { $0.rounded() <= 4 })
            segments.append(durations)
            let listed = try #require(bandwidth(of: name, in: main))
            let packets = try file("\(name).mp4").packets(.video) + file("audio-1.mp4").packets(.audio)
            let bits = packets.reduce(0) { $0 + $1.bytes.count * 8 }
            #expect(listed.average >= bits / 7 && listed.average < bits / 6 && listed.peak >= listed.average)
        }
        #expect(segments == [[4, 3], [4, 3]])
    }

    private func surround(_ change: (inout TranscodeRequest) -> Void = { _ in }) throws -> TranscodeResult {
        let input = try clip { movie in
            movie.audio = [.surround]
            movie.audio[0].seconds = 7
            movie.subtitles = []
        }
        return try transcode(input) {
            $0.ladder = LadderRequest("120:150k")
            change(&$0)
        }
    }

    private func audio(_ number: Int) throws -> String {
        let stream = try #require(try file("audio-\(number).mp4").streams.first)
        return "\(stream.codecName) \(stream.channelCount)"
    }

    @Test("has stereo AAC for every player, and surround as it is, in a group of its own")
    func stereoAndSurround() throws {
        _ = try surround()
        #expect(try [audio(1), audio(2)] == ["aac 2", "ac3 6"])
        let main = try text("master.m3u8")
        #expect(main.contains("GROUP-ID=\"audio\",NAME=\"Audio 1\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"2\""))
        #expect(main.contains("GROUP-ID=\"surround\",NAME=\"Audio 1\",DEFAULT=YES,AUTOSELECT=YES,CHANNELS=\"6\""))
        #expect(main.contains(",mp4a.40.2\"") && main.contains(",ac-3\""))
        #expect(try text("manifest.mpd").contains("codecs=\"ac-3\""))
    }

    @Test("has surround in the requested codec, and none if stereo is requested")
    func surroundCodec() throws {
        _ = try surround { $0.audio = .encode(.aac) }
        #expect(try [audio(1), audio(2)] == ["aac 2", "aac 6"])
        _ = try surround { ($0.audioChannels, $0.overwrite) = (.stereo, .replace) }
        #expect(try audio(1) == "aac 2" && !Files.exists("\(output)/audio-2.mp4"))
    }

    @Test("says that a requested bit rate is not that of surround, which is copied")
    func surroundRate() throws {
        func notices(_ change: (inout TranscodeRequest) -> Void) throws -> [String] {
            try surround(change).notices.filter { $0.kind == .audioBitrate }.map { "\($0.message)" }
        }
        let copied = try notices { $0.audioBitrate = 128_000 }
        #expect(copied.count == 1 && copied.first?.contains("which is copied") == true)
        #expect(try notices { ($0.audio, $0.audioBitrate, $0.overwrite) = (.encode(.aac), 128_000, .replace) } == [])
    }

    @Test("has stereo in AAC, whatever is requested for surround")
    func stereoCodec() throws {
        let input = try clip { movie in
            movie.audio = [.ac3]
            movie.audio[0].seconds = 7
        }
        _ = try transcode(input) { $0.audio = .encode(.eac3) }
        #expect(try audio(1) == "aac 2" && !Files.exists("\(output)/audio-2.mp4"))
    }

    private func bandwidth(of name: String, in main: String) -> (peak: Int, average: Int)? {
        let lines = main.split(separator: "\n")
        guard let place = lines.firstIndex(of: "\(name).m3u8"), place > 0 else { return nil }
        let numbers = lines[place - 1].split(separator: ",").compactMap { part in
            part.split(separator: "=").last.flatMap { Int($0) }
        }
        return numbers.count < 2 ? nil : (numbers[0], numbers[1])
    }

    @Test("can be switched: alternating segments of the renditions decode")
    func switching() throws {
        _ = try transcode(try clip())
        let lists = try ["180p", "120p"].map { name in
            (try Files.read("\(output)/\(name).mp4"), try FragmentIndex(reading: "\(output)/\(name).mp4"))
        }
        // The second rendition's header with its second half.
        let (bytes, index) = lists[1]
        let half = index.fragments[2].bytes.lowerBound
        try Files.write(
            Array(bytes[..<Int(index.header.upperBound)] + bytes[Int(half)...]), to: directory.file("half.mp4"))
        let decoded = try Decoded(directory.file("half.mp4"))
        #expect(decoded.errors == 0 && decoded.frames.count == 75)
    }

    @Test("rotates frames upright, makes samples square, and encodes HEVC if requested")
    func pictures() throws {
        let input = try clip("in.mp4") { movie in
            movie.video[0].displayMatrix = .turning(.rotated90)
            (movie.video[0].frameCount, movie.audio, movie.subtitles) = (50, [], [])
        }
        _ = try transcode(input) { ($0.codec, $0.ladder) = (.hevc, LadderRequest("180:300k")) }
        #expect(try file("180p.mp4").video?.parameters.size == PixelSize(180, 320))
        #expect(try text("master.m3u8").contains("CODECS=\"hvc1.1.6.L"))
    }

    @Test("a directory with other files is never replaced")
    func foreign() throws {
        let input = try clip()
        _ = try transcode(input)
        #expect(throws: TranscodeError.self) { try transcode(input) }
        try Files.write("mine", to: "\(output)/notes.txt")
        let error = #expect(throws: TranscodeError.self) { try transcode(input) { $0.overwrite = .replace } }
        #expect(error?.kind == .outputExists && Files.exists("\(output)/notes.txt"))
        #expect(directory.names(in: ".").sorted() == ["in.mkv", "out"])
    }

    @Test("an existing ladder is replaced if requested")
    func replaced() throws {
        let input = try clip()
        _ = try transcode(input)
        _ = try transcode(input) {
            ($0.overwrite, $0.ladder, $0.writesDASH) = (.replace, LadderRequest("120:150k"), false)
        }
        #expect(!Files.exists("\(output)/180p.mp4") && !Files.exists("\(output)/manifest.mpd"))
        #expect(directory.names(in: ".").sorted() == ["in.mkv", "out"])
    }

    @Test("with only renditions larger than the source is an error")
    func tooLarge() throws {
        let input = try clip()
        let error = #expect(throws: TranscodeError.self) {
            try transcode(input) { $0.ladder = LadderRequest("720:3M") }
        }
        #expect(error?.kind == .ladder && !Files.exists(output))
    }
}

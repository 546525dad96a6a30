import Testing
import VTX
import VTXFFmpeg
import VTXTestMedia

@testable import VTX

@Suite("Reading the samples of a file")
struct SampleReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Two seconds with B frames and a key frame every second, and a tone.
    private func movie(_ name: String, _ codec: VideoCodec = .h264) throws -> String {
        let path = directory.file(name)
        let video = VideoRecipe {
            $0.encoder = codec == .h264 ? "libx264" : "libx265"
            $0.options = [("preset", "veryfast")]
            if codec == .hevc { $0.options.append(("x265-params", "log-level=error:bframes=2:open-gop=0")) }
            $0.frameCount = 50
            $0.bFrames = 2
            $0.metadata = [MetadataEntry("language", "deu")]
        }
        try MovieRecipe(video, AudioRecipe { $0.seconds = 2 }) {
            if name.hasSuffix("mp4") { $0.muxerOptions = [("movflags", "+faststart")] }
        }.write(to: path)
        return path
    }

    private static func code(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return (error as? MediaFileError)?.code ?? "\(error)" }
        return nil
    }

    @Test("tracks have their descriptions")
    func tracks() throws {
        let path = directory.file("in.mp4")
        let video = VideoRecipe {
            $0.frameCount = 50
            $0.metadata = [MetadataEntry("language", "deu")]
            $0.displayMatrix = .turning(.rotated90)
        }
        try MovieRecipe(video, AudioRecipe { $0.seconds = 2 }).write(to: path)
        let reader = try SampleReader(path)
        let track = try #require(reader.tracks(.video).first)
        #expect(reader.tracks.map(\.kind) == [.video, .audio] && reader.tracks.map(\.id) == [0, 1])
        #expect(track.codec == .h264 && track.size == PixelSize(160, 96) && track.frameRate == 25)
        #expect(track.orientation == .rotated90 && track.language == "deu" && track.sampleRate == nil)
        #expect(track.duration == MediaTime(2, 1) && track.timeBase.numerator == 1)
        #expect(try #require(track.formatDescription).parameterSets.count == 2)
        let audio = try #require(reader.tracks(.audio).first)
        #expect(audio.codecName == "aac" && audio.sampleRate == 48000 && audio.channelCount == 2 && audio.codec == nil)
        #expect(audio.formatDescription == nil && audio.size == nil)
    }

    @Test(
        "a session decodes them to libavcodec's frames, at the same times",
        arguments: ["in.mp4", "in.mov", "in.mkv", "in.ts"], VideoCodec.ofNALUnits)
    func decoding(name: String, codec: VideoCodec) async throws {
        let path = try movie(name, codec)
        let reader = try SampleReader(path)
        let track = try #require(reader.tracks(.video).first)
        let frames = try await Coding.decode(codec) { session in
            for try await sample in reader.samples(of: track) { try await session.decode(sample) }
        }.frames
        let expected = try Decoded(path)
        #expect(frames.count == 50 && frames.allSatisfy { $0.error == nil })
        #expect(frames.map(\.presentationTime) == expected.frames.map { $0.presentationTime })
        #expect(frames.compactMap { $0.pixelBuffer?.frame.checksum } == expected.frames.map(\.checksum))
    }

    @Test(
        "PTS is the container's, and DTS is filled in and increases",
        arguments: ["in.mp4", "in.mkv", "in.ts"])
    func times(name: String) async throws {
        let path = try movie(name)
        let reader = try SampleReader(path)
        let packets = try MediaFile(path).packets
        for track in reader.tracks {
            var samples: [TrackSample] = []
            for try await sample in reader.samples(of: [track]) { samples.append(sample) }
            #expect(samples.map(\.presentationTime) == packets[track.id].compactMap(\.pts))
            #expect(zip(samples, packets[track.id]).allSatisfy { $1.dts == nil || $0.decodingTime == $1.dts })
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.decodingTime < $1.decodingTime })
            #expect(samples.allSatisfy { $0.decodingTime <= $0.presentationTime && $0.track == track.id })
        }
    }

    @Test("several tracks are in the order of the file, also on a plain thread")
    func cursor() throws {
        let reader = try SampleReader(try movie("in.mp4"))
        let cursor = reader.samples(of: reader.tracks).makeCursor()
        var counts = [0, 0]
        var last = -1.0
        while let sample = try cursor.next() {
            counts[sample.track] += 1
            // Interleaved, to half a second or so.
            #expect(sample.decodingTime.seconds > last - 1)
            last = max(last, sample.decodingTime.seconds)
        }
        #expect(counts[0] == 50 && counts[1] > 90)
        #expect(try cursor.next() == nil)
    }

    @Test("a range outputs exactly its frames", arguments: ["in.mp4", "in.mkv", "in.ts"])
    func range(name: String) async throws {
        let path = try movie(name)
        let reader = try SampleReader(path)
        let track = try #require(reader.tracks(.video).first)
        let all = try Decoded(path).frames
        let start = try #require(all.first?.presentationTime)
        let range = start + MediaTime(value: 1300, timescale: 1000)..<start + MediaTime(value: 1700, timescale: 1000)
        var sampleCount = 0
        let frames = try await Coding.decode(.h264) { session in
            for try await sample in reader.samples(of: track, in: range) {
                sampleCount += 1
                try await session.decode(sample)
            }
        }.frames
        let expected = all.filter { range.contains($0.presentationTime ?? .zero) }
        #expect(expected.count == 10 && (sampleCount < 25 || name == "in.ts"))
        #expect(frames.compactMap { $0.pixelBuffer?.frame.checksum } == expected.map(\.checksum))
        let audio = try #require(reader.tracks(.audio).first)
        var heard: [TrackSample] = []
        for try await sample in reader.samples(of: [audio], in: range) { heard.append(sample) }
        #expect(heard.allSatisfy { $0.presentationTime < range.upperBound })
        #expect((19...21).contains(heard.count), "0.4 s of 1024 samples each")
    }

    @Test("a truncated file ends with an error after its last sample", arguments: ["in.mp4", "in.mkv", "in.ts"])
    func truncated(name: String) async throws {
        let cut = directory.file("cut-\(name)")
        try Files.truncate(try movie(name), to: 0.6, as: cut)
        let reader = try SampleReader(cut)
        let track = try #require(reader.tracks(.video).first)
        var count = 0
        let code = await Self.code { for try await _ in reader.samples(of: track) { count += 1 } }
        #expect(code == "source.truncated" && (15..<50).contains(count))
    }

    @Test("an invalid file is refused with a code")
    func refused() async throws {
        try Files.write("not a video", to: directory.file("text.mp4"))
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }).write(to: directory.file("raw.h264"))
        let codes = ["none.mp4": "input.notFound", "text.mp4": "input.notMedia", "raw.h264": "input.byteStream"]
        for (name, code) in codes {
            let found = await Self.code { _ = try SampleReader(directory.file(name)) }
            #expect(found == code)
        }
        let reader = try SampleReader(try movie("in.mp4"))
        let audio = try #require(reader.tracks(.audio).first)
        let code = await Self.code { for try await _ in reader.samples(of: audio) {} }
        #expect(code == "input.codec")
    }

    @Test("a loop that ends early, or whose task is cancelled, leaves the reader usable")
    func early() async throws {
        let reader = try SampleReader(try movie("in.mp4"))
        let track = try #require(reader.tracks(.video).first)
        for try await sample in reader.samples(of: track) where sample.isKeyFrame { break }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for try await _ in reader.samples(of: track) { count += 1 }
            return count
        }
        #expect(try await task.value == 0)
        var count = 0
        for try await _ in reader.samples(of: track) { count += 1 }
        #expect(count == 50)
    }
}

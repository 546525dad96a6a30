import Testing
import VTX
import VTXFFmpeg
import VTXTestMedia

@testable import VTX

@Suite("Writing samples into a file")
struct SampleWriterTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func samples(
        _ count: Int = 30, _ codec: VideoCodec = .h264, _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) async throws -> [Sample] {
        try await Coding.encode(try (0..<count).map { try Pictures.moving($0) }, .small(codec, change))
    }

    private static func code(_ body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return (error as? MediaFileError)?.code ?? "\(error)" }
        return nil
    }

    private func write(
        _ samples: [Sample], to name: String, _ configuration: SampleWriterConfiguration = SampleWriterConfiguration()
    ) async throws -> String {
        let writer = try SampleWriter(directory.file(name), configuration)
        let input = try writer.addInput()
        for sample in samples { try await input.append(sample) }
        try await writer.finish()
        return directory.file(name)
    }

    @Test(
        "a session's output is in the file, each frame at its time",
        arguments: ["out.mp4", "out.mov", "out.mkv", "out.ts"], VideoCodec.ofNALUnits)
    func encoded(name: String, codec: VideoCodec) async throws {
        let samples = try await Self.samples(30, codec)
        let file = try MediaFile(try await write(samples, to: name))
        let video = try #require(file.video)
        #expect(video.codecName == codec.rawValue && video.size == PixelSize(160, 96))
        let times = file.packets(.video).compactMap(\.pts).sorted()
        let start = try #require(times.first)
        #expect(name == "out.ts" || start == .zero)
        // Matroska counts milliseconds, MPEG-TS 1/90,000 s.
        let expected = (0..<30).map { (start + .frame($0)).rescaled(to: video.timeBase) }
        #expect(times == expected)
        let decoded = try Decoded(directory.file(name))
        #expect(decoded.frames.count == 30 && decoded.errors == 0)
    }

    @Test("a fragmented file has no global index, and all frames")
    func fragmented() async throws {
        let path = try await write(
            try await Self.samples { $0.gopSize = 10 }, to: "out.mp4", SampleWriterConfiguration(isFragmented: true))
        let bytes = try Files.read(path)
        #expect(BoxWalk.topLevel(bytes).filter { $0 == "moof" }.count == 3)
        #expect(try Decoded(path).frames.count == 30)
    }

    @Test(
        "the tracks of a file are copied unchanged",
        arguments: ["in.mp4", "in.mkv", "in.ts"], ["out.mp4", "out.mkv", "out.ts"])
    func copies(from: String, to: String) async throws {
        let source = directory.file(from)
        try MovieRecipe(VideoRecipe { $0.frameCount = 50 }, AudioRecipe { $0.seconds = 2 }).write(to: source)
        let reader = try SampleReader(source)
        let writer = try SampleWriter(directory.file(to))
        let inputs = try reader.tracks.map { try writer.addInput(like: $0) }
        for try await sample in reader.samples(of: reader.tracks) { try await inputs[sample.track].append(sample) }
        try await writer.finish()
        let (before, after) = (try Decoded(source), try Decoded(directory.file(to)))
        #expect(after.frames.map(\.checksum) == before.frames.map(\.checksum))
        let (heard, kept) = (try Decoded(source, .audio), try Decoded(directory.file(to), .audio))
        #expect(abs(heard.sampleCount - kept.sampleCount) <= 1024 && kept.errors == 0)
        // Audio and video are interleaved, within one packet.
        let offsets = try [before, after].map { try #require($0.times.first) }
        let starts = try [heard, kept].map { try #require($0.times.first) }
        #expect(abs((starts[0] - offsets[0]) - (starts[1] - offsets[1])) < 0.0225)
    }

    @Test("the file is renamed when it is complete, and an incomplete one leaves nothing")
    func atomic() async throws {
        let samples = try await Self.samples(5)
        let path = directory.file("out.mp4")
        for isCancelled in [true, false] {
            var writer: SampleWriter? = try SampleWriter(path)
            let input = try #require(writer).addInput()
            for sample in samples { try await input.append(sample) }
            #expect(!directory.names.contains("out.mp4") && directory.names.count == 1)
            if isCancelled { writer?.cancel() }
            writer = nil
            #expect(directory.names.isEmpty)
            let code = await Self.code { try await input.append(samples[0]) }
            #expect(code == "session.invalidSession")
        }
        try Files.write("old", to: path)
        #expect(await Self.code { _ = try SampleWriter(path) } == "output.exists")
        let writer = try SampleWriter(path, SampleWriterConfiguration(replacesExisting: true))
        let input = try writer.addInput()
        for sample in samples { try await input.append(sample) }
        #expect(try Files.read(path).count == 3)
        try await writer.finish()
        #expect(directory.names == ["out.mp4"])
        #expect(try Decoded(path).frames.count == 5)
    }

    @Test("invalid names and tracks are refused with a code")
    func refused() async throws {
        #expect(await Self.code { _ = try SampleWriter(directory.file("out.xyz")) } == "output.extension")
        #expect(await Self.code { _ = try SampleWriter(directory.file("out.h264")) } == "output.extension")
        #expect(await Self.code { _ = try SampleWriter(directory.file("none/out.mp4")) } == "output.notFound")
        let fragmented = SampleWriterConfiguration(isFragmented: true)
        #expect(await Self.code { _ = try SampleWriter(directory.file("out.mkv"), fragmented) } == "output.fragmented")
        let empty = try SampleWriter(directory.file("empty.mp4"))
        _ = try empty.addInput()
        #expect(await Self.code { try await empty.finish() } == "input.noFrames")
        try MovieRecipe(VideoRecipe { $0.frameCount = 5 }, .pcm).write(to: directory.file("in.mkv"))
        let audio = try #require(try SampleReader(directory.file("in.mkv")).tracks(.audio).first)
        let writer = try SampleWriter(directory.file("out.mp4"))
        #expect(await Self.code { _ = try writer.addInput(like: audio) } == "output.codec")
        let input = try writer.addInput()
        try await input.append(try await Self.samples(1)[0])
        #expect(await Self.code { _ = try writer.addInput() } == "session.invalidSession")
        #expect(directory.names.filter { !$0.hasPrefix(".") } == ["in.mkv"])
    }

    @Test("an invalid sample is refused, and others can follow")
    func samplesRefused() async throws {
        let samples = try await Self.samples(8) { $0.openBFrame = false }
        let writer = try SampleWriter(directory.file("out.mp4"))
        let input = try writer.addInput()
        try await input.append(samples[0])
        try await input.append(samples[1])
        #expect(await Self.code { try await input.append(samples[1]) } == "session.badParameter")
        var late = samples[2]
        late.decodingTime = .frame(9)
        #expect(await Self.code { try await input.append(late) } == "session.badParameter")
        let others = [
            try await Self.samples(1, .hevc)[0],
            try await Coding.encode(
                [Pictures.moving(0, size: PixelSize(64, 64))], .small(.h264) { $0.size = PixelSize(64, 64) })[0],
            try await Self.samples(1) { $0.preset = .quality }[0],
        ]
        for other in others {
            var other = other
            (other.presentationTime, other.decodingTime) = (.frame(3), .frame(3))
            #expect(await Self.code { try await input.append(other) } == "parameterSets.change")
        }
        var incomplete = samples[2]
        incomplete.formatDescription = try FormatDescription(
            codec: .h264, parameterSets: samples[2].formatDescription.sequenceParameterSets)
        let second = try SampleWriter(directory.file("second.mp4"))
        let secondInput = try second.addInput()
        #expect(await Self.code { try await secondInput.append(incomplete) } == "input.parameterSets")
        for sample in samples[2...] { try await input.append(sample) }
        try await writer.finish()
        #expect(try Decoded(directory.file("out.mp4")).frames.count == 8)
    }

    @Test(
        "parameter sets may change with in-band sets at key frames", arguments: ["out.mp4", "out.mkv", "out.ts"],
        VideoCodec.ofNALUnits)
    func repeated(name: String, codec: VideoCodec) async throws {
        let (first, second) = (
            try await Self.samples(5, codec), try await Self.samples(5, codec) { $0.preset = .quality }
        )
        var configuration = SampleWriterConfiguration()
        configuration.repeatsParameterSets = true
        let path = try await write(
            first
                + second.map { sample in
                    var sample = sample
                    sample.presentationTime = sample.presentationTime + .frame(10)
                    sample.decodingTime = sample.decodingTime + .frame(10)
                    return sample
                }, to: name, configuration)
        let decoded = try Decoded(path)
        #expect(decoded.frames.count == 10 && decoded.errors == 0)
        let reader = try SampleReader(path)
        var formats: Set<FormatDescription> = []
        let frames = try await Coding.decode(codec) { session in
            for try await sample in reader.samples(of: reader.tracks[0]) {
                formats.insert(sample.formatDescription)
                try await session.decode(sample)
            }
        }.frames
        #expect(frames.compactMap { $0.pixelBuffer?.frame.checksum } == decoded.frames.map(\.checksum))
        // A transport stream has no header with the first ones.
        let written = Set((first + second).map(\.formatDescription.parameterSets)).count
        #expect(formats.count == (name == "out.ts" ? written : 1) && (written == 2 || codec == .hevc))
    }

    @Test("a track that is ahead waits for the others, until they have a sample, end, or its task is cancelled")
    func backPressure() async throws {
        let samples = try await Self.samples(30) { $0.openBFrame = false }
        var configuration = SampleWriterConfiguration()
        configuration.byteLimit = 1
        let writer = try SampleWriter(directory.file("out.mkv"), configuration)
        let inputs = [try writer.addInput(), try writer.addInput()]
        async let first: Void = { for sample in samples { try await inputs[0].append(sample) } }()
        for sample in samples.prefix(10) { try await inputs[1].append(sample) }
        inputs[1].finish()
        try await first
        try await writer.finish()
        let file = try MediaFile(directory.file("out.mkv"))
        #expect(file.packets.map(\.count) == [30, 10])
        let cancelled = try SampleWriter(directory.file("cancelled.mkv"), configuration)
        let ahead = [try cancelled.addInput(), try cancelled.addInput()]
        let task = Task { for sample in samples { try await ahead[0].append(sample) } }
        task.cancel()
        try await task.value
        let waiting = Task { for sample in samples { try await ahead[1].append(sample) } }
        ahead[0].finish()
        try await waiting.value
        try await cancelled.finish()
    }

    @Test("a cut of a file begins and ends with the right frames")
    func part() async throws {
        let source = directory.file("in.mp4")
        let recipe = VideoRecipe {
            $0.frameCount = 75
            $0.options = [("preset", "veryfast")]
            $0.bFrames = 3
        }
        try MovieRecipe(recipe).write(to: source)
        let reader = try SampleReader(source)
        let track = try #require(reader.tracks.first)
        let range = MediaTime(value: 12, timescale: 10)..<MediaTime(value: 22, timescale: 10)
        var configuration = SampleWriterConfiguration()
        configuration.startTime = range.lowerBound
        let writer = try SampleWriter(directory.file("out.mp4"), configuration)
        let input = try writer.addInput(like: track)
        for try await sample in reader.samples(of: [track], in: range) { try await input.append(sample) }
        try await writer.finish()
        let expected = try Decoded(source).frames.filter { range.contains($0.presentationTime ?? .zero) }
        let back = try SampleReader(directory.file("out.mp4"))
        let frames = try await Coding.decode(.h264) { session in
            for try await sample in back.samples(of: back.tracks[0]) { try await session.decode(sample) }
        }.frames
        // Reference frames after the end cannot be hidden.
        #expect(expected.count == 25 && (25...27).contains(frames.count))
        #expect(frames.map(\.presentationTime) == frames.indices.map { MediaTime(Int64($0), Rational(1, 25)) })
        #expect(frames.compactMap { $0.pixelBuffer?.frame.checksum }.prefix(25) == expected.map(\.checksum)[...])
        let mkv = try SampleWriter(directory.file("out.mkv"), configuration)
        let other = try mkv.addInput(like: track)
        let code = await Self.code {
            for try await sample in reader.samples(of: [track], in: range) { try await other.append(sample) }
        }
        #expect(code == "output.editList")
    }
}

@Suite("Interleaving samples")
struct SampleInterleaverTests {
    @Test("samples are in decoding order, once each awaited track has one")
    func order() {
        var interleaver = SampleInterleaver<String>(byteLimit: 10)
        for isAwaited in [true, true, false] { interleaver.addTrack(isAwaited: isAwaited) }
        for (index, time) in [0.0, 1, 2].enumerated() { interleaver.put("v\(index)", at: time, byteCount: 4, in: 0) }
        #expect(interleaver.next() == nil && interleaver.isFull(for: 0) && !interleaver.isFull(for: 1))
        interleaver.put("a0", at: 0.5, byteCount: 1, in: 1)
        interleaver.put("s0", at: 0.2, byteCount: 1, in: 2)
        #expect((0..<3).compactMap { _ in interleaver.next()?.element } == ["v0", "s0", "a0"])
        #expect(interleaver.next() == nil && interleaver.byteCount == 8)
        interleaver.end(1)
        #expect((0..<3).compactMap { _ in interleaver.next()?.element } == ["v1", "v2"])
        interleaver.put("v3", at: 3, byteCount: 1, in: 0)
        interleaver.end(0)
        #expect(interleaver.next()?.element == "v3" && interleaver.next() == nil && interleaver.byteCount == 0)
    }
}

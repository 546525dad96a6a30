import Testing
import VTX
import VTXBitstream
import VTXFFmpeg
import VTXTestMedia

@testable import VTX

/// A process can have only one SVT-AV1, so the suite is serialized.
@Suite("Sessions for AV1", .serialized)
struct AV1SessionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func encode(
        _ count: Int, keys: Set<Int> = [], _ change: (inout VideoEncoderConfiguration) -> Void = { _ in }
    ) async throws -> [Sample] {
        try await Coding.encode(try (0..<count).map { try Pictures.moving($0) }, .small(.av1, change), keys: keys)
    }

    private static func failure(_ change: (inout VideoEncoderConfiguration) -> Void) -> SessionError? {
        do { _ = try CompressionSession(.small(.av1, change)) } catch { return error }
        return nil
    }

    @Test("every frame is output at its time, key frames with their sequence header")
    func encodes() async throws {
        let samples = try await Self.encode(30) { $0.gopSize = 10 }
        #expect(samples.map(\.presentationTime) == (0..<30).map { .frame($0) })
        #expect(samples.map(\.decodingTime) == samples.map(\.presentationTime))
        #expect(samples.filter(\.isKeyFrame).map(\.presentationTime.ticks) == [0, 10, 20])
        for sample in samples {
            let types = OBUs.types(sample.data)
            #expect(types.contains(OBUs.sequenceHeader) == sample.isKeyFrame && !types.contains(2))
            #expect(OBUs.hasKeyFrame(sample.data) == sample.isKeyFrame)
        }
        let format = try #require(samples.first?.formatDescription)
        #expect(format.codec == .av1 && format.size == PixelSize(160, 96) && format.bitDepth == 8)
        #expect(format.profileName == "Main" && format.lengthSize == 0)
        #expect(format.parameterSets.map { OBUs.types($0) } == [[OBUs.sequenceHeader]])
    }

    @Test("decoded frames match the input")
    func decodesSamples() async throws {
        let samples = try await Self.encode(20)
        let (frames, session) = try await Coding.decode(.av1) { session in
            for sample in samples { try await session.decode(sample) }
        }
        #expect(frames.map(\.presentationTime) == (0..<20).map { .frame($0) })
        #expect(frames.allSatisfy { $0.error == nil && $0.pixelBuffer?.size == PixelSize(160, 96) })
        #expect(try session.value(of: .numberOfDecoders) == 1)
    }

    @Test("a stream in chunks of any size", arguments: [1, 7, 4096, 1 << 20])
    func decodesStream(size: Int) async throws {
        let stream = try await Self.encode(20) { $0.gopSize = 10 }.flatMap { try $0.obuStream() }
        let (frames, _) = try await Coding.decode(.av1) { session in
            for start in stride(from: 0, to: stream.count, by: size) {
                try await session.decode(stream: Array(stream[start..<min(start + size, stream.count)]))
            }
        }
        #expect(frames.count == 20 && frames.allSatisfy { $0.error == nil && $0.pixelBuffer != nil })
    }

    @Test("a sample is the encoder's packet unless that has a delimiter")
    func sharesPackets() async throws {
        let source = try await Self.encode(1)[0]
        let base = Rational(1, 30)
        let plain = try Packet(bytes: source.data, pts: 0, dts: 0, duration: 1, timeBase: base)
        let shared = try CodedData(temporalUnit: plain).makePacket(base)
        #expect(shared.bytes.baseAddress == plain.bytes.baseAddress)
        let delimited = try Packet(bytes: source.obuStream(), pts: 0, dts: 0, duration: 1, timeBase: base)
        #expect(try CodedData(temporalUnit: delimited).array == source.data)
    }

    @Test("decoding begins at a key frame, and earlier frames are counted")
    func dropsBeforeKey() async throws {
        let stream = try await Self.encode(20) { $0.gopSize = 10 }.dropFirst(4).flatMap { try $0.obuStream() }
        let (frames, session) = try await Coding.decode(.av1) { try await $0.decode(stream: stream) }
        #expect(frames.count == 10)
        #expect(try session.value(of: .numberOfFramesDropped) == 6)
    }

    @Test("decoding of a damaged stream continues at the next sequence header")
    func resynchronizes() async throws {
        let samples = try await Self.encode(30) { $0.gopSize = 10 }
        var stream = try samples.flatMap { try $0.obuStream() }
        let place = try samples.prefix(12).reduce(0) { $0 + (try $1.obuStream().count) }
        // A delimiter with the forbidden bit.
        stream[place] |= 0x80
        let (frames, _) = try await Coding.decode(.av1) { try await $0.decode(stream: stream) }
        #expect(frames.filter { $0.error?.code == .badData }.count == 1)
        #expect(frames.filter { $0.error == nil }.count >= 21)
    }

    @Test("junk and damage of every kind are survived", arguments: 0..<4)
    func survives(seed: Int) async throws {
        let clean = try await Self.encode(20) { $0.gopSize = 5 }.flatMap { try $0.obuStream() }
        var dice = Dice(seed: seed)
        for _ in 0..<8 {
            let pieces = dice.pieces(dice.damage(clean))
            let (_, session) = try await Coding.decode(.av1) { session in
                for piece in pieces { try await session.decode(stream: piece) }
            }
            session.invalidate()
        }
    }

    @Test("a requested key frame is one, and no frame is lost")
    func forced() async throws {
        let samples = try await Self.encode(20, keys: [7])
        #expect(samples.filter(\.isKeyFrame).map(\.presentationTime.ticks) == [0, 7])
        #expect(samples.map(\.presentationTime) == (0..<20).map { .frame($0) })
    }

    @Test("samples are equal after a round trip through a file", arguments: ["out.mp4", "out.mkv"])
    func files(name: String) async throws {
        let samples = try await Self.encode(20) { $0.gopSize = 10 }
        let writer = try SampleWriter(directory.file(name))
        let input = try writer.addInput()
        for sample in samples { try await input.append(sample) }
        try await writer.finish()
        let decoded = try Decoded(writer.path)
        #expect(decoded.frames.count == 20 && decoded.errors == 0)
        let reader = try SampleReader(writer.path)
        let track = try #require(reader.tracks(.video).first)
        #expect(track.codec == .av1 && track.formatDescription?.size == PixelSize(160, 96))
        var read: [Sample] = []
        for try await sample in reader.samples(of: track) { read.append(sample) }
        #expect(read.map(\.data) == samples.map(\.data) && read.map(\.isKeyFrame) == samples.map(\.isKeyFrame))
        #expect(
            read.first?.formatDescription.parameterSets.first == samples.first?.formatDescription.parameterSets.first)
        // And copied.
        let copy = try SampleWriter(directory.file("copy-" + name))
        let copied = try copy.addInput(like: track)
        for sample in read { try await copied.append(sample) }
        try await copy.finish()
        #expect(try Decoded(copy.path).frames.count == 20)
    }

    @Test("a format description is equal after a round trip through a container's record")
    func record() async throws {
        let format = try #require(try await Self.encode(1).first?.formatDescription)
        let record = try format.configurationRecord()
        #expect(record.prefix(2) == [0x81, 0x00])
        #expect(try FormatDescription(codec: .av1, configurationRecord: record) == format)
        #expect(try FormatDescription(codec: .av1, parameterSets: format.parameterSets) == format)
        #expect(throws: SessionError.self) { try FormatDescription(codec: .av1, parameterSets: [[0x12, 0]]) }
        #expect(throws: SessionError.self) { try FormatDescription(codec: .av1, configurationRecord: [1, 2, 3]) }
    }

    @Test("settings that AV1 lacks are refused")
    func refusals() async throws {
        #expect(Self.failure { $0.isRealTime = true }?.code == .propertyNotSupported)
        #expect(
            Self.failure { $0.dataRateLimits = [DataRateLimit(byteCount: 100_000, seconds: 1)] }?.code
                == .propertyNotSupported)
        #expect(Self.failure { $0.pixelAspectRatio = Rational(4, 3) }?.code == .propertyNotSupported)
        let session = try CompressionSession(.small(.av1))
        #expect(session.supportedProperties["PixelAspectRatio"] == nil)
        #expect(session.supportedProperties["H264EntropyMode"] == nil)
        await #expect { try await session.beginPass() } throws: { ($0 as? SessionError)?.code == .propertyNotSupported }
        let sample = try #require(try await Self.encode(1).first)
        #expect { try sample.annexB() } throws: { ($0 as? SessionError)?.code == .badParameter }
        #expect { try sample.nalUnits() } throws: { ($0 as? SessionError)?.code == .badParameter }
        let decoder = try DecompressionSession(VideoDecoderConfiguration(codec: .av1)) { _ in }
        await #expect { try await decoder.decode(annexB: [0, 0, 1]) } throws: {
            ($0 as? SessionError)?.code == .badParameter
        }
    }

    @Test("a second software encoder is an error")
    func alone() async throws {
        let first = try CompressionSession(.small(.av1)) { _ in }
        try await first.encode(try Pictures.moving(0), at: .frame(0))
        let second = try CompressionSession(.small(.av1)) { _ in }
        await #expect { try await second.prepare() } throws: { ($0 as? SessionError)?.code == .notAvailableNow }
        try await first.flush()
    }
}

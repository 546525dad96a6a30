import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask

@testable import VTXTranscode

@Suite("Self-tests")
struct SelfTestTests {
    private func software() throws -> any DeviceSession {
        try SoftwareBackend().openSession(on: SoftwareBackend.device)
    }

    @Test("an encoder that works passes", arguments: [VideoProfile.baseline, .high, .hevcMain, .main10])
    func encoding(profile: VideoProfile) throws {
        let result = SelfTest(try software()).encode(profile)
        #expect(result.verdict == .passed && result.frames == 12 && result.evidence == nil)
        #expect((result.psnr ?? 0) > 40)
    }

    @Test("a decoder that works is exact", arguments: [("h264", 8), ("hevc", 10), ("mpeg2video", 8)])
    func decoding(codec: String, depth: Int) throws {
        let result = SelfTest(try software()).decode(codec, bitDepth: depth, profile: nil)
        #expect(result == SelfTestResult(.passed, frames: 12))
    }

    @Test("a codec without an encoder is skipped, with the reason")
    func skipped() throws {
        let result = SelfTest(try software()).decode("vc1", bitDepth: 8, profile: nil)
        #expect(result.verdict == .skipped && result.evidence?.contains("vc1") == true)
    }

    @Test("a video processor that matches software passes")
    func processing() throws {
        #expect(SelfTest(try software()).process(like: try software()).verdict == .passed)
    }

    struct FilterLie: Sendable, CustomTestStringConvertible {
        /// The test that must find it.
        var testDescription: String
        var change: @Sendable (inout FilterConfiguration) -> Void
    }

    static let filterLies = [
        FilterLie(testDescription: "bars") { $0.scaling = .fill },
        FilterLie(testDescription: "cropping") { if $0.scaling == .trim { $0.scaling = .fill } },
        FilterLie(testDescription: "rotation (rotated 180)") {
            if $0.orientation == .rotated180 { $0.orientation = .upright }
        },
        FilterLie(testDescription: "rotation (mirrored)") {
            if $0.orientation == .mirrored { $0.orientation = .rotated180 }
        },
        FilterLie(testDescription: "deinterlacing") { $0.deinterlacing = .never },
    ]

    @Test("a video processor that differs fails, and the evidence has the operation", arguments: filterLies)
    func processing(lie: FilterLie) throws {
        var session = LyingSession(truth: try software(), change: { _ in })
        session.filterChange = lie.change
        session.capabilities.filtering = .some(
            FilterCapability.VideoProcessing(
                pixelFormats: [.i420], deinterlaces: true, orientations: [.upright, .rotated180, .mirrored],
                maxSize: PixelSize(4096, 4096)))
        let result = SelfTest(session).process(like: try software())
        #expect(result.verdict == .failed && result.evidence?.hasPrefix("\(lie.testDescription): ") == true)
        session.filterChange = { _ in }
        #expect(SelfTest(session).process(like: try software()).verdict == .passed)
    }

    @Test("a device whose tone mapping matches software passes")
    func toneMapping() throws {
        #expect(SelfTest(try software()).mapTones(like: try software()) == SelfTestResult(.passed, frames: 4))
    }

    @Test("the frames have the device's maximum size")
    func sizes() throws {
        let session = try software()
        let sizes = [((16, 16), (4096, 4096)), ((400, 200), (4096, 4096)), ((16, 16), (131, 97))]
        let chosen = sizes.map { low, high in
            SelfTest(session, sizes: (PixelSize(low.0, low.1), PixelSize(high.0, high.1))).size
        }
        #expect(chosen == [PixelSize(320, 180), PixelSize(400, 200), PixelSize(130, 96)])
    }

    struct Lie: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var change: @Sendable (inout EncoderConfiguration) -> Void
        var evidence: String
    }

    static let lies = [
        Lie(
            testDescription: "another codec", change: { ($0.codec, $0.profile) = (.hevc, .hevcMain) }, evidence: "hevc"),
        Lie(testDescription: "another profile", change: { $0.profile = .h264Main }, evidence: "profile Main"),
        Lie(
            testDescription: "hardly any bits", change: { $0.rateControl = .bitrate(average: 1000, max: nil) },
            evidence: "PSNR"),
    ]

    @Test("an encoder with wrong output fails, with the evidence", arguments: lies)
    func caught(lie: Lie) throws {
        let session = LyingSession(truth: try software(), change: lie.change)
        let result = SelfTest(session).encode(.high)
        #expect(result.verdict == .failed)
        #expect(result.evidence?.contains(lie.evidence) == true, "\(result.evidence ?? "-")")
    }

    @Test("an encoder that loses a frame fails")
    func lostFrame() throws {
        var session = LyingSession(truth: try software(), change: { _ in })
        session.loses = 5
        #expect(SelfTest(session).encode(.high).evidence == "11 frames instead of 12")
        #expect(
            SelfTest(session).decode("h264", bitDepth: 8, profile: .high).evidence == "11 frames instead of 12"
        )
    }

    @Test("a GPU decoder that falls back to software fails")
    func notOnSurface() throws {
        var session = LyingSession(truth: try software(), change: { _ in })
        session.capabilities.isHardware = true
        #expect(
            SelfTest(session).decode("h264", bitDepth: 8, profile: .high).evidence == "the driver refused the stream")
    }

    @Test("errors are evidence")
    func errors() throws {
        let backend = FakeBackend(isHardware: true, fault: .makeEncoder)
        let session = try backend.openSession(on: DeviceID("gpu"))
        #expect(SelfTest(session).encode(.high) == SelfTestResult(.failed, evidence: "no encoder"))
    }
}

/// Software with wrong results.
private struct LyingSession: DeviceSession {
    let truth: any DeviceSession
    let change: @Sendable (inout EncoderConfiguration) -> Void
    var capabilities: CapabilityMatrix
    var filterChange: @Sendable (inout FilterConfiguration) -> Void = { _ in }
    /// The dropped unit, counted from 1.
    var loses: Int?

    init(truth: any DeviceSession, change: @escaping @Sendable (inout EncoderConfiguration) -> Void) {
        self.truth = truth
        self.change = change
        capabilities = truth.capabilities
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        var other = configuration
        change(&other)
        return LosingEncoder(encoder: try truth.makeEncoder(other, after: failures), loses: loses)
    }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        LosingDecoder(decoder: try truth.makeDecoder(configuration), loses: loses)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        var other = configuration
        filterChange(&other)
        return try truth.makeFilter(other)
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { PassThrough() }
    func makeUpload() throws(SessionError) -> any VideoFilter { PassThrough() }
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] { [] }
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] { [] }
    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace { FFmpegPlace() }
}

private final class LosingEncoder: VideoEncoder {
    let encoder: any VideoEncoder
    let loses: Int?
    private let count = Locked(0)

    init(encoder: any VideoEncoder, loses: Int?) {
        self.encoder = encoder
        self.loses = loses
    }

    var parameters: CodecParameters { encoder.parameters }
    var compromises: [String] { encoder.compromises }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let number = count.withLock { count -> Int in
            count += 1
            return count
        }
        if frame == nil || number != loses { try encoder.send(frame, forcesKeyFrame: forcesKeyFrame) }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> { try encoder.receive() }
}

private final class LosingDecoder: VideoDecoder {
    let decoder: any VideoDecoder
    let loses: Int?
    private let count = Locked(0)

    init(decoder: any VideoDecoder, loses: Int?) {
        self.decoder = decoder
        self.loses = loses
    }

    func send(_ packet: Packet?) throws(SessionError) { try decoder.send(packet) }
    func reset() { decoder.reset() }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output = try decoder.receive()
        guard case .unit = output else { return output }
        let number = count.withLock { count -> Int in
            count += 1
            return count
        }
        return number == loses ? try decoder.receive() : output
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("The first frames are decoded once")
struct PrerolledDecoderTests {
    private let decoder = FakeDecoder()

    private func packet(_ pts: Int64?, _ bytes: [UInt8] = [0], duration: Int64 = 0) throws -> Packet {
        try Packet(bytes: bytes, pts: pts, dts: pts, duration: duration, timeBase: Rational(1, 1000))
    }

    /// - Returns: the times of the frames, and the decoder's input, with nil for resets.
    private func run(_ first: [Packet?], then packets: [Packet?]) throws -> (times: [Int64?], log: [Int64?]) {
        let prerolled = PrerolledDecoder(decoder)
        first.forEach(prerolled.preroll)
        var times: [Int64?] = []
        for packet in packets {
            try prerolled.send(packet)
            while case .unit(let frame) = try prerolled.receive() { times.append(frame.pts) }
        }
        return (times, decoder.log.withLock { $0 })
    }

    @Test("repeated packets are not decoded again")
    func same() throws {
        let packets = try [0, 40, 80, 120].map { try packet($0) }
        let found = try run(Array(packets[..<2]), then: packets + [nil])
        #expect(found.times == [0, 40, 80, 120] && found.log == [0, 40, 80, 120])
    }

    @Test("even if the whole source was read")
    func whole() throws {
        let packets = try [0, 40].map { try packet($0) } + [nil]
        let found = try run(packets, then: packets)
        #expect(found.times == [0, 40] && found.log == [0, 40])
    }

    @Test("even with shifted times; the frames have the new times")
    func shifted() throws {
        let found = try run(
            try [1400, 1440].map { try packet($0) }, then: try [400, 440, 480].map { try packet($0) } + [nil])
        #expect(found.times == [400, 440, 480] && found.log == [1400, 1440, 1480])
    }

    @Test("even without times")
    func timeless() throws {
        let packets = try [nil, nil, nil].map { try packet($0) }
        let found = try run(Array(packets[..<2]), then: packets)
        #expect(found.times == [nil, nil, nil] && found.log == [-1, -1, -1])
    }

    @Test("after a seek the decoder restarts")
    func seek() throws {
        let found = try run(
            try [0, 40].map { try packet($0) }, then: try [80, 120].map { try packet($0, [1]) } + [nil])
        #expect(found.times == [80, 120] && found.log == [0, 40, nil, 80, 120])
    }

    @Test("after a replaced time it restarts, and no frame is lost")
    func replaced() throws {
        let found = try run(
            try [0, 40, 9000].map { try packet($0) }, then: try [0, 40, 80, 120].map { try packet($0) } + [nil])
        #expect(found.times == [0, 40, 80, 120] && found.log == [0, 40, 9000, nil, 0, 40, 80, 120])
    }

    @Test("if the range ends among them, frames before its end are output")
    func end() throws {
        let found = try run(try [0, 40, 80].map { try packet($0) }, then: try [0, 40].map { try packet($0) } + [nil])
        #expect(found.times == [0, 40] && found.log == [0, 40, 80, nil, 0, 40])
    }

    // MARK: Whole jobs

    static let clips: [(name: String, recipe: VideoRecipe, start: Double)] = [
        ("in.mp4", VideoRecipe { ($0.bFrames, $0.options) = (3, [("preset", "veryfast")]) }, 0),
        ("in.mkv", .hevc, 0),
        ("in.ts", VideoRecipe { ($0.bFrames, $0.options) = (2, [("preset", "veryfast")]) }, 700),
        ("in.h264", VideoRecipe(), 0),
        ("short.mp4", VideoRecipe { $0.frameCount = 2 }, 0),
        ("in.mpg", .coded("mpeg2video"), 0),
    ]

    @Test("each stage is opened once, and each packet is decoded once, in every container", arguments: clips)
    func once(name: String, recipe: VideoRecipe, start: Double) throws {
        let directory = try TemporaryDirectory()
        let path = directory.file(name)
        try MovieRecipe(recipe) { $0.startSeconds = start }.write(to: path)
        let backend = CountingBackend()
        let request = TranscodeRequest(input: path, output: directory.file("out.mkv"))
        let result = try TranscodeJob(
            request, backends: [backend], cancellation: Cancellation(), report: { _ in }
        ).run()
        #expect(result.frames == recipe.frameCount && result.outcome == .completed)
        let once = ["decoder": 1, "filter": 1, "encoder": 1, "packet": recipe.frameCount]
        #expect(backend.counts.withLock { $0 } == once)
        #expect(try Decoded(request.output ?? "").frames.count == recipe.frameCount)
    }

    @Test("a part of a file is decoded from its first key frame")
    func part() throws {
        let clip = try SourceClip(frames: 75, audio: nil)
        let backend = CountingBackend()
        let request = clip.request { ($0.start, $0.duration) = (1.2, 0.4) }
        let job = TranscodeJob(request, backends: [backend], cancellation: Cancellation(), report: { _ in })
        #expect(try job.run().frames == 10)
        #expect(backend.counts.withLock { $0["reset"] } == 1)
    }
}

/// Software that counts opened and decoded objects.
private struct CountingBackend: VideoBackend {
    let isHardware = false
    let counts = Locked<[String: Int]>([:])
    private let software = SoftwareBackend()

    func probe() -> [CapabilityMatrix] { software.probe() }

    func openSession(on device: DeviceID) throws(SessionError) -> any DeviceSession {
        CountingSession(session: try software.openSession(on: device), counts: counts)
    }
}

private struct CountingSession: DeviceSession {
    let session: any DeviceSession
    let counts: Locked<[String: Int]>

    var capabilities: CapabilityMatrix { session.capabilities }

    private func count(_ word: String) { counts.withLock { $0[word, default: 0] += 1 } }

    func makeDecoder(_ configuration: DecoderConfiguration) throws(SessionError) -> any VideoDecoder {
        count("decoder")
        return CountingDecoder(decoder: try session.makeDecoder(configuration), count: count)
    }

    func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        count("filter")
        return try session.makeFilter(configuration)
    }

    func makeEncoder(
        _ configuration: EncoderConfiguration, after failures: [EncodingMode: String]
    ) throws(SessionError) -> any VideoEncoder {
        count("encoder")
        return try session.makeEncoder(configuration, after: failures)
    }

    func makeDownload(as format: PixelFormat?) throws(SessionError) -> any VideoFilter { PassThrough() }
    func makeUpload() throws(SessionError) -> any VideoFilter { PassThrough() }
    func ffmpegArguments(for configuration: EncoderConfiguration, in mode: EncodingMode?) -> [String] { [] }
    func ffmpegFilters(for configuration: FilterConfiguration, source: FrameFormat) -> [String] { [] }
    func ffmpegPlace(for format: PixelFormat) -> FFmpegPlace { FFmpegPlace() }
}

private struct CountingDecoder: VideoDecoder {
    let decoder: any VideoDecoder
    let count: @Sendable (String) -> Void

    func send(_ packet: Packet?) throws(SessionError) {
        if packet != nil { count("packet") }
        try decoder.send(packet)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try decoder.receive() }

    func reset() {
        count("reset")
        decoder.reset()
    }

    func missingPictures() -> MissingPictures { decoder.missingPictures() }
}

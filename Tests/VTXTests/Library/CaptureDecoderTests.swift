import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTX

@Suite("The decoder of a live input")
struct CaptureDecoderTests {
    private let directory: TemporaryDirectory
    private let notices = Locked<[Notice]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// Decodes one second of video.
    private func decode(
        _ faults: FaultyBackend.Faults, _ policy: HardwarePolicy = .auto
    ) throws -> (times: [Int64?], name: String) {
        let path = directory.file("input.mkv")
        try MovieRecipe(VideoRecipe { $0.bFrames = 2 }).write(to: path)
        let demuxer = try Demuxer(path: path)
        let stream = try #require(demuxer.streams.first { $0.kind == .video })
        let decoders = CaptureDecoders(policy, FaultyBackend.backends(FaultyBackend(faults))) { event in
            if case .transcode(.notice(let notice)) = event { notices.withLock { $0.append(notice) } }
        }
        let (decoder, name) = try decoders.open(stream)
        var times: [Int64?] = []
        while true {
            let packet = try demuxer.read()
            if let packet, packet.streamIndex != stream.index { continue }
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() { times.append(frame.pts) }
            if packet == nil { return (times, name) }
        }
    }

    @Test("a GPU decodes it, even if it must encode, and software if no GPU may be used")
    func choice() throws {
        for policy in [HardwarePolicy.auto, .require] {
            #expect(try decode(FaultyBackend.Faults(), policy).name == "a faulty GPU")
        }
        let (times, name) = try decode(FaultyBackend.Faults(), .off)
        #expect(name != "a faulty GPU" && times.count == 25 && notices.withLock(\.self).isEmpty)
    }

    @Test("if it fails in mid-stream, another one continues with the same frame, with a notice")
    func recovery() throws {
        let whole = try decode(FaultyBackend.Faults()).times
        #expect(try decode(FaultyBackend.Faults(decodes: 13...13)).times == whole)
        #expect(notices.withLock(\.self).map(\.kind) == [.captureDecoder])
        #expect(try decode(FaultyBackend.Faults(decodes: 13...1000)).times == whole)
        let last = notices.withLock { $0.last }
        #expect(last?.kind == .captureDecoder && last?.message.contains("libavcodec") == true)
    }

    @Test("software decodes if the GPU cannot be opened")
    func opening() throws {
        let (times, name) = try decode(FaultyBackend.Faults(openings: 1...1000))
        #expect(times.count == 25 && name != "a faulty GPU")
    }
}

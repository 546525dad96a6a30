import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXCapture

@Suite("Outputs of a recording")
struct CaptureOutputsTests {
    private func packet(_ number: Int, isKey: Bool, bytes: Int = 10) throws -> CapturePacket {
        CapturePacket(
            packet: try Packet(
                bytes: [UInt8](repeating: 0, count: bytes), pts: Int64(number), dts: Int64(number), duration: 1,
                timeBase: CaptureTimeline.timeBase, isKeyFrame: isKey),
            parameters: try CodecParameters(video: .h264, size: PixelSize(16, 16), extradata: [1, 2]),
            format: CaptureStreamFormat(codec: .h264, frameRate: 30, color: .bt709, usesGlobalHeader: true))
    }

    /// Puts packets, a key frame at each of `keys`, into a queue that is read afterwards.
    private func remains(
        _ count: Int, keys: Set<Int>, _ bounds: CapturePacketQueue.Bounds
    ) throws -> (numbers: [Int64], dropped: Int) {
        let queue = CapturePacketQueue(bounds)
        for number in 0..<count { queue.put(try packet(number, isKey: keys.contains(number))) }
        queue.end()
        var numbers: [Int64] = []
        while let packet = queue.next() { numbers.append(packet.packet.dts ?? -1) }
        return (numbers, queue.droppedCount)
    }

    @Test("with room in the queue, every packet is output in order")
    func room() throws {
        let found = try remains(9, keys: [0, 4], .init(bytes: 90, ticks: 8))
        #expect(found.numbers == Array(0..<9) && found.dropped == 0)
    }

    @Test("without room the oldest packets, up to the next key frame, are dropped and counted")
    func overflow() throws {
        let bytes = try remains(10, keys: [0, 4, 8], .init(bytes: 90, ticks: 1000))
        #expect(bytes.numbers == Array(4..<10) && bytes.dropped == 4)
        let ticks = try remains(10, keys: [0, 4, 8], .init(bytes: 1000, ticks: 5))
        #expect(ticks.numbers == Array(4..<10) && ticks.dropped == 4)
    }

    @Test("without a queued key frame, all packets up to the next one are dropped")
    func noKeyFrame() throws {
        let found = try remains(12, keys: [0, 10], .init(bytes: 50, ticks: 1000))
        #expect(found.numbers == [10, 11] && found.dropped == 10)
    }

    @Test("a packet larger than the queue is not queued")
    func large() throws {
        let queue = CapturePacketQueue(.init(bytes: 50, ticks: 1000))
        queue.put(try packet(0, isKey: true, bytes: 60))
        queue.put(try packet(1, isKey: false))
        queue.end()
        #expect(queue.next() == nil && queue.droppedCount == 2)
    }

    @Test("parameter sets precede key frames if the format has no header for them")
    func parameterSets() throws {
        let key = try packet(0, isKey: true, bytes: 3)
        let inStream = try key.withParameterSets(for: "mpegts")
        withExtendedLifetime(inStream) { #expect(Array(inStream.bytes) == [1, 2, 0, 0, 0]) }
        #expect(try key.withParameterSets(for: "mp4").byteCount == 3)
        #expect(try packet(1, isKey: false, bytes: 3).withParameterSets(for: "mpegts").byteCount == 3)
    }

    private static let refused: [([String], VideoCodec?, ErrorKind)] = [
        (["a.webm"], nil, .outputExtension), (["a.mp4", ""], nil, .outputExtension),
        (["http://a/b.ts"], nil, .outputExtension), (["a.mp4", "b.mkv", "a.mp4"], nil, .outputExtension),
        (["a.mp4", "b.mkv", "./a.mp4"], nil, .outputExtension),
        (["a.m3u8", "b.h264"], .hevc, .outputCodec), (["a.m3u8"], .av1, .outputCodec),
        (["a.h264", "b.h265"], nil, .outputCodec), (["a.mp4", "b.h264"], .hevc, .outputCodec),
        (["rtmp://a/b/c"], .av1, .outputCodec),
    ]

    @Test("invalid outputs are refused before the camera is opened", arguments: refused)
    func refusal(_ outputs: [String], _ codec: VideoCodec?, _ kind: ErrorKind) {
        var request = CaptureRequest()
        (request.outputs, request.codec) = (outputs, codec)
        #expect(#expect(throws: TranscodeError.self) { try request.destinations() }?.kind == kind)
    }

    @Test("segment options need a playlist output")
    func segmentsWithoutPlaylist() throws {
        var request = CaptureRequest()
        (request.outputs, request.playlist.window) = (["a.mp4"], 9)
        #expect(#expect(throws: TranscodeError.self) { try request.destinations() }?.kind == .needsOption)
        request.outputs.append("b.m3u8")
        #expect(try request.destinations().map(\.kind) == [.file(.mp4), .playlist])
    }

    @Test("the codec is one that all outputs support; RTMP servers that do not know HEVC get H.264 by default")
    func codecs() throws {
        var request = CaptureRequest()
        request.outputs = ["a.mp4", "b.h264"]
        #expect(try request.neededCodec() == .h264)
        request.outputs = ["a.mp4", "udp://127.0.0.1:1"]
        #expect(try request.neededCodec() == nil)
        request.outputs = ["a.mp4", "rtmp://127.0.0.1/a/b"]
        #expect(try request.neededCodec() == .h264 && request.takes(.hevc))
        request.outputs.append("c.h265")
        #expect(try request.neededCodec() == .hevc)
        request.codec = .hevc
        #expect(try request.destinations().count == 3)
    }

    @Test(
        "a refused connection is retried with doubling pauses, with a key frame, and is an error at the end"
    )
    func refusedConnection() throws {
        let clock = Locked(0.0)
        let notices = Locked<[NoticeKind]>([])
        let connection = CaptureConnection(
            "nothing://here", "mpegts", report: { notice in notices.withLock { $0.append(notice.kind) } },
            now: { clock.withLock(\.self) })
        var attempts: [Double] = []
        for step in 0..<80 {
            clock.withLock { $0 = Double(step) / 2 }
            let before = connection.failureCount
            connection.write(try packet(step, isKey: step % 2 == 0))
            if connection.failureCount > before { attempts.append(Double(step) / 2) }
        }
        #expect(attempts == [0, 1, 2, 4, 8, 16, 24, 32])
        #expect(connection.skippedCount == 80 && notices.withLock(\.self) == [.captureConnection])
        #expect(#expect(throws: TranscodeError.self) { try connection.finish() }?.kind == .outputConnection)
    }

    @Test(
        "a URL's protocol is case-insensitive",
        arguments: [
            "rtmp://host/live/key", "RTMP://user:word@host:1935/live/key", "udp://[ff02::1]:5000?ttl=2",
            "srt://:5000?mode=listener",
        ])
    func completeURL(text: String) throws {
        let url = try #require(LiveURL(text))
        #expect(url.isComplete && url.spelledForLibavformat.hasPrefix("\(url.scheme)://"))
        #expect(url.spelledForLibavformat.dropFirst(4) == text.dropFirst(4))
    }

    @Test(
        "a URL without a host or a port is refused before the camera is opened",
        arguments: ["rtmp://", "rtmp://host:0/live/key", "udp://host", "udp://host:99999", "udp://:5000", "srt://host"])
    func incompleteURL(text: String) {
        let error = #expect(throws: TranscodeError.self) { try CaptureDestination(text, codec: nil) }
        #expect(error?.kind == .outputExtension && error?.hint?.contains("HOST:PORT") == true)
    }

    @Test(
        "an SRT connection stays open for its latency after the last packet",
        arguments: [
            ("srt://host:9000", 620_000), ("srt://host:9000?mode=listener&latency=1000000", 1_500_000),
            ("srt://host:9000?peerlatency=60000000", 3_000_000), ("udp://host:9000?latency=1000000", 0),
        ])
    func linger(text: String, microseconds: Int) {
        #expect(LiveURL(text)?.linger == microseconds)
    }

    @Test("only outputs with audio count for it, and only files keep a display matrix")
    func contents() throws {
        let found = try ["a.mp4", "a.h264", "a.m3u8", "udp://host:1"].map { name throws(TranscodeError) in
            try CaptureDestination(name, codec: nil)
        }
        #expect(found.map(\.holdsAudio) == [true, false, true, true])
        #expect(found.map(\.holdsDisplayMatrix) == [true, false, false, false])
    }
}

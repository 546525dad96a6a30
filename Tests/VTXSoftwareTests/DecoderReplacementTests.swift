import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTestMedia

@Suite("A decoder replaces another in mid-stream")
struct DecoderReplacementTests {
    /// Streams whose pictures after a random access point refer to pictures before it: most have open GOPs.
    struct Coding: Sendable, CustomTestStringConvertible {
        var encoder: String
        var options = ""
        var bFrames = 3

        private static func x264(_ options: String, bFrames: Int = 3) -> Coding {
            Coding(encoder: "libx264", options: "scenecut=0:\(options)", bFrames: bFrames)
        }

        private static func x265(_ options: String, bFrames: Int = 3) -> Coding {
            Coding(encoder: "libx265", options: "log-level=error:scenecut=0:\(options)", bFrames: bFrames)
        }

        static let all = [
            x264("open-gop=1:b-adapt=0"), x264("open-gop=1:b-adapt=0:b-pyramid=none:ref=4"),
            x264("open-gop=1:b-adapt=0:b-pyramid=strict:ref=1"), x264("open-gop=1:ref=5:weightp=2", bFrames: 8),
            x264("open-gop=1:interlaced=1"), x264("intra-refresh=1", bFrames: 0),
            x265("open-gop=1:b-adapt=0"), x265("open-gop=1:b-adapt=0:ref=5", bFrames: 7),
            Coding(encoder: "mpeg2video"),
        ]

        var testDescription: String { "\(encoder), \(options)" }

        /// The stream in a file, and its packets.
        func make() throws -> (InputStream, [Packet]) {
            let recipe = VideoRecipe {
                $0.encoder = encoder
                $0.options = [("preset", "veryfast"), ("\(encoder.dropFirst(3))-params", options)]
                if options.isEmpty { $0.options = [] }
                $0.size = PixelSize(64, 48)
                $0.frameCount = 48
                $0.keyFrameInterval = 12
                $0.bFrames = bFrames
            }
            let directory = try TemporaryDirectory()
            try MovieRecipe(recipe).write(to: directory.file("in.mp4"))
            let demuxer = try Demuxer(path: directory.file("in.mp4"))
            var packets: [Packet] = []
            while let packet = try demuxer.read() { packets.append(packet) }
            return (demuxer.streams[0], packets)
        }
    }

    /// Fails from a packet on.
    private final class BreakingDecoder: VideoDecoder, @unchecked Sendable {
        private let decoder: any VideoDecoder
        private var rest: Int

        init(_ decoder: any VideoDecoder, at packet: Int) { (self.decoder, rest) = (decoder, packet) }

        func send(_ packet: Packet?) throws(SessionError) {
            guard rest > 0 else { throw SessionError(.hardwareMalfunction, "the decoder broke") }
            rest -= 1
            try decoder.send(packet)
        }

        func receive() throws(SessionError) -> CodecOutput<Frame> { try decoder.receive() }
        func reset() { decoder.reset() }
    }

    private struct Shown: Equatable {
        var pts: Int64?
        var checksum: UInt64
        var damage: FrameDamage
    }

    private func decode(_ packets: [Packet], _ decoder: any VideoDecoder) throws -> [Shown] {
        var shown: [Shown] = []
        for packet in packets.map(Optional.some) + [nil] {
            try decoder.send(try packet?.reference())
            while case .unit(let frame) = try decoder.receive() {
                shown.append(Shown(pts: frame.pts, checksum: frame.checksum, damage: frame.damage))
            }
        }
        #expect(decoder.missingPictures() == MissingPictures())
        return shown
    }

    @Test(
        "at any packet, each frame is output once, unchanged, and none is marked as damaged",
        arguments: Coding.all, [1, 3])
    func everyPacket(coding: Coding, threads: Int) throws {
        let (stream, packets) = try coding.make()
        let device = try SoftwareBackend().openSession(on: SoftwareBackend.device)
        var configuration = DecoderConfiguration(stream: stream)
        configuration.threads = threads
        let second = CodecCandidate(device.capabilities) { [configuration] _ throws(SessionError) in
            try device.makeDecoder(configuration)
        }
        configuration.threads = 1
        var first = CodecCandidate(device.capabilities) { _ throws(SessionError) -> any VideoDecoder in
            throw SessionError(.hardwareMalfunction, "the device is gone")
        }
        (first.device, first.isHardware) = (DeviceID("gpu"), true)
        let expected = try decode(packets, try device.makeDecoder(configuration))
        #expect(expected.count == 48 && expected.allSatisfy { $0.damage.isEmpty })
        for number in 0...packets.count {
            let breaking = BreakingDecoder(try device.makeDecoder(configuration), at: number)
            let decoder = RecoveringDecoder(
                breaking, on: first, recoversStart: true, candidates: { [first] _ in [first, second] })
            let shown = try decode(packets, decoder)
            #expect(shown == expected, "packet \(number): \(zip(shown, expected).filter { $0.0 != $0.1 })")
        }
    }
}

import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXSession

/// A short coded clip, opened for reading.
struct TestClip {
    private let demuxer: Demuxer
    let stream: InputStream

    init(reading path: String) throws {
        demuxer = try Demuxer(path: path)
        guard let stream = demuxer.streams.first else { throw SelfTestFailure("there is no video in what was encoded") }
        self.stream = stream
    }

    /// Nothing is left of the file, whatever happens: it has no name.
    init(_ clip: EncodedTestClip) throws {
        let file = try UnnamedFile()
        try clip.write(to: file.path)
        try self.init(reading: file.path)
    }

    /// Its packets, which can be read once.
    func packets() throws(FFmpegError) -> [Packet] {
        var packets: [Packet] = []
        while let packet = try demuxer.read() { packets.append(packet) }
        return packets
    }

    /// What libavcodec makes of the packets, on the CPU.
    func decode(_ packets: [Packet]) throws -> [Frame] {
        let decoder = try DecoderContext(stream, threads: 1)
        var frames: [Frame] = []
        for packet in packets.map(Optional.some) + [nil] {
            try decoder.send(packet)
            while case .unit(let frame) = try decoder.receive() {
                frame.normalizeFullRangeFormat()
                if frame.isCorrupt { throw SelfTestFailure("picture \(frames.count + 1) is damaged") }
                frames.append(frame)
            }
        }
        return frames
    }
}

/// What an encoder made.
struct EncodedTestClip {
    var packets: [Packet]
    var parameters: CodecParameters

    /// As Matroska, which holds all that is tried here.
    func write(to path: String) throws {
        let muxer = try Muxer(path: path, format: "matroska")
        var description = OutputStreamDescription(
            parameters: parameters, timeBase: TestPattern.rate.reciprocal)
        description.frameRate = TestPattern.rate
        let index = try muxer.addStream(description)
        try muxer.writeHeader(options: [])
        for packet in packets { try muxer.write(packet, to: index) }
        try muxer.finish()
    }
}

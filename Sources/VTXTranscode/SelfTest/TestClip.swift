import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem

/// A short encoded clip that is open for reading.
struct TestClip {
    private let demuxer: Demuxer
    let stream: InputStream

    init(reading path: String) throws {
        demuxer = try Demuxer(path: path)
        guard let stream = demuxer.streams.first else { throw SelfTestFailure("the encoded clip has no video") }
        self.stream = stream
    }

    /// Creates an unnamed temporary file, which disappears in any case.
    init(_ clip: EncodedTestClip) throws {
        let file = try UnnamedFile()
        try clip.write(to: file.path)
        try self.init(reading: file.path)
    }

    /// Returns the packets, once.
    func packets() throws(FFmpegError) -> [Packet] {
        var packets: [Packet] = []
        while let packet = try demuxer.read() { packets.append(packet) }
        return packets
    }

    /// Decodes the packets with libavcodec on the CPU.
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

/// The output of an encoder.
struct EncodedTestClip {
    var packets: [Packet]
    var parameters: CodecParameters

    /// Writes Matroska, which supports everything tested here.
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

/// The software encoder of a clip for testing a decoder.
struct TestEncoder {
    /// The libavcodec name of the encoder.
    var encoder: String
    var options: [(String, String)]
    var bitrate: Int?

    /// nil if no encoder here produces such a stream.
    ///
    /// - Parameter profile: For H.264 only, where it determines the coding tools.
    init?(codec: String, profile: VideoProfile?) {
        guard let entry = Self.table[codec], EncoderContext.exists(entry.encoder) else { return nil }
        self = entry
        if codec == "h264", let profile { options.append(("profile", profile.name)) }
    }

    private init(_ encoder: String, _ options: [(String, String)], bitrate: Int? = nil) {
        self.encoder = encoder
        self.options = options
        self.bitrate = bitrate
    }

    private static let quick = [("deadline", "realtime"), ("cpu-used", "8")]
    /// By the libavcodec name of the codec. There is no encoder for VC-1.
    private static let table: [String: TestEncoder] = [
        "h264": TestEncoder("libx264", [("preset", "fast")]),
        "hevc": TestEncoder("libx265", [("preset", "fast"), ("x265-params", "log-level=error")]),
        "mpeg2video": TestEncoder("mpeg2video", [], bitrate: 4_000_000),
        // Else it takes samples of full range alone.
        "mjpeg": TestEncoder("mjpeg", [("strict", "unofficial")], bitrate: 8_000_000),
        "vp8": TestEncoder("libvpx", quick, bitrate: 2_000_000),
        "vp9": TestEncoder("libvpx-vp9", quick, bitrate: 2_000_000),
        "av1": TestEncoder("libaom-av1", [("usage", "realtime"), ("cpu-used", "8")], bitrate: 2_000_000),
    ]

    /// Whether decoders must match bit for bit. Those of MPEG-2 and MJPEG may round the inverse transform differently.
    static func isExact(_ codec: String) -> Bool { !["mpeg2video", "mjpeg"].contains(codec) }

    func encode(_ picture: TestPattern) throws -> EncodedTestClip {
        var settings = VideoEncoderSettings(
            codecName: encoder, size: picture.size, pixelFormat: picture.pixelFormat,
            timeBase: TestPattern.rate.reciprocal,
            frameRate: TestPattern.rate, maxKeyFrameInterval: 6, usesGlobalHeader: true)
        settings.options = options
        settings.bitrate = bitrate
        settings.threads = 1
        let context = try EncoderContext(video: settings)
        var packets: [Packet] = []
        for frame in try picture.frames().map(Optional.some) + [nil] {
            frame?.setPictureType(isForcedKey: false)
            try context.send(frame)
            while case .unit(let packet) = try context.receive() { packets.append(packet) }
        }
        return EncodedTestClip(packets: packets, parameters: context.parameters)
    }
}

/// The test pattern for devices (libavfilter's `testsrc2`). It can be generated any number of times.
struct TestPattern {
    static let rate = Rational(25, 1)

    var size: PixelSize
    var pixelFormat: PixelFormat
    /// Without edges, so that two scalers produce about the same result.
    var isSmooth = false
    /// In the colors of HDR10.
    var isHDR = false
    var frameCount = 12

    static let hdr10 = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)

    func frames() throws(FFmpegError) -> [Frame] {
        let blur = isSmooth ? ",gblur=sigma=6" : ""
        let graph = try FilterGraph(
            generating: "testsrc2=size=\(size):rate=\(Self.rate)\(blur),format=\(pixelFormat.name)")
        var frames: [Frame] = []
        while frames.count < frameCount, case .unit(let frame) = try graph.receive() {
            frame.rescale(to: Self.rate.reciprocal)
            frame.color.isFullRange = false
            if isHDR { frame.color = Self.hdr10 }
            frames.append(frame)
        }
        return frames
    }
}

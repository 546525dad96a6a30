import VTXFFmpeg
import VTXMedia

/// How a clip is made in software that a decoder is tried with.
struct TestEncoder {
    /// libavcodec's name of the encoder.
    var encoder: String
    var options: [(String, String)]
    var bitrate: Int?

    /// nil where nothing here encodes such a stream.
    ///
    /// - Parameter profile: of H.264 alone, where it decides which tools are used.
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
    /// By libavcodec's name of the codec. There is no encoder of VC-1.
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

    /// Decoders of these may round the inverse transform in their own way; those of others may not.
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

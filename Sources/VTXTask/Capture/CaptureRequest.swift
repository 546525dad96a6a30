package import VTXMedia
package import VTXSystem

/// Records a camera's pictures as they come: encoded in real time, once, into files that are whole at every moment, and to
/// live outputs.
package struct CaptureRequest: Sendable, Hashable, Codable {
    /// The camera's node, such as `/dev/video0`, or `test:` for a test picture.
    package var device = "/dev/video0"
    /// A microphone whose audio is recorded with the camera's pictures, by ALSA's name; nil for none.
    package var audioDevice: String?
    /// A camera that is not there, or is unplugged, is waited for.
    package var waits = false
    /// What is recorded instead of a camera: a URL, `-` for standard input, or `test:` for a test picture with a tone.
    package var input: String?
    /// The input's sender connects, not vtx.
    package var listens = false
    /// Seconds for which an input that is lost is tried again; 0 ends the recording with it.
    package var reconnectSeconds = 60.0
    /// The input's audio is recorded too.
    package var takesAudio = true
    /// Of the input's pictures.
    package var deinterlacing = CaptureDeinterlacing.auto
    /// Files, and URLs of live outputs; at least one.
    package var outputs: [String] = []
    package var overwrite: OverwritePolicy = .refuse
    /// The nearest that the camera has is taken; nil for 1280x720.
    package var size: PixelSize?
    /// Pictures a second, likewise; nil for 30.
    package var frameRate: Rational?
    /// nil for HEVC where hardware encodes it, else H.264.
    package var codec: VideoCodec?
    package var quality: Quality?
    /// Bits per second, on average; nil for a constant quality.
    package var bitrate: Int?
    package var hardware: HardwarePolicy = .auto
    /// Seconds; nil until something stops it.
    package var duration: Double?
    /// Of outputs that are playlists.
    package var playlist = LivePlaylistRequest()

    package init() {}

    /// What stands in for a camera.
    package static let testDevice = "test:"
    package var isTest: Bool { device == Self.testDevice }

    /// As users know it.
    package var sourceName: String { input ?? device }

    package var wantedSize: PixelSize { size ?? PixelSize(1280, 720) }
    package var wantedFrameRate: Rational { frameRate ?? 30 }
}

/// Which pictures of a live input are deinterlaced.
package enum CaptureDeinterlacing: String, Sendable, Hashable, CaseIterable, Codable {
    /// Those that say they are interlaced.
    case auto
    /// Every one, whatever it says.
    case on
    case off
    /// Every one; each of its fields becomes a picture.
    case field
}

/// How a recording becomes a live playlist (HLS).
package struct LivePlaylistRequest: Sendable, Hashable, Codable {
    package var segmentSeconds = 4
    /// Of the parts that segments are listed in while they are written (LL-HLS); nil for whole segments alone.
    package var partMilliseconds: Int?
    /// How many of the last segments the playlist lists.
    package var window = 6
    /// All segments stay.
    package var keepsAll = false

    package init() {}
}

/// What is being recorded, and how.
package struct CaptureDescription: Sendable, Hashable, Codable {
    package var device: String
    package var outputs: [String]
    /// The camera's: `YUYV`, `MJPG`.
    package var format: String
    package var size: PixelSize
    package var frameRate: Rational
    package var codec: VideoCodec
    /// As users know it.
    package var encoder: String
    package var usesHardware: Bool
    /// What decodes a live input, as users know it; nil for what is not decoded.
    package var decoder: String?
    /// The codec; nil without audio.
    package var audio: String?
    /// Whether the audio stays as it comes; nil without audio.
    package var copiesAudio: Bool?

    package init(
        device: String, outputs: [String], format: String, size: PixelSize, frameRate: Rational, codec: VideoCodec,
        encoder: String, usesHardware: Bool
    ) {
        self.device = device
        self.outputs = outputs
        self.format = format
        self.size = size
        self.frameRate = frameRate
        self.codec = codec
        self.encoder = encoder
        self.usesHardware = usesHardware
    }
}

package import VTXMedia
package import VTXSystem

/// Records a camera: encodes its frames once, in real time, into files that are complete at every moment, and into live
/// outputs.
package struct CaptureRequest: Sendable, Hashable, Codable {
    /// The camera's device node, such as `/dev/video0`, or `test:` for a test picture.
    package var device = "/dev/video0"
    /// The ALSA name of a microphone to record; nil for none.
    package var audioDevice: String?
    /// Whether to wait for a camera that is missing or unplugged.
    package var waits = false
    /// The input to record instead of a camera: a URL, `-` for standard input, a file that may still grow, or `test:`
    /// for a test picture with a tone.
    package var input: String?
    /// Whether the sender connects to vtx.
    package var listens = false
    /// How long to try to reconnect to a lost input, or to wait for a file to grow, in seconds; 0 ends the recording.
    package var reconnectSeconds = 60.0
    /// Whether to record the input's audio.
    package var takesAudio = true
    /// The deinterlacing of the input.
    package var deinterlacing = CaptureDeinterlacing.auto
    /// Files, URLs of live outputs, and `-` for standard output; at least one.
    package var outputs: [String] = []
    /// The container of standard output; nil for the default.
    package var format: Container?
    package var overwrite: OverwritePolicy = .refuse
    /// The size; the camera's nearest one is used. nil for 1280x720.
    package var size: PixelSize?
    /// The frame rate; the camera's nearest one in that size is used. nil for 30.
    package var frameRate: Rational?
    /// Whether left and right are swapped.
    package var isMirrored = false
    /// nil for HEVC if hardware can encode it, else H.264.
    package var codec: VideoCodec?
    package var quality: Quality?
    /// The average in bits per second; nil for a constant quality.
    package var bitrate: Int?
    package var hardware: HardwarePolicy = .auto
    /// Seconds; nil for no limit.
    package var duration: Double?
    /// The settings of outputs that are playlists.
    package var playlist = LivePlaylistRequest()

    package init() {}

    /// The name of the test picture.
    package static let testDevice = "test:"
    package var isTest: Bool { device == Self.testDevice }
    /// Whether the source can have the requested size and frame rate. A live input keeps its own.
    package var takesSize: Bool { input == nil || input == Self.testDevice }

    /// The containers that can be recorded.
    package static let formats = Container.allCases.filter { $0 != .webm }
    /// The container of standard output by default, as for a transcode.
    package static let defaultFormat = Container.mkv
    package var writesPipe: Bool { outputs.contains(StandardStream.path) }

    /// The source as shown to users.
    package var sourceName: String { input ?? device }

    package var wantedSize: PixelSize { size ?? PixelSize(1280, 720) }
    package var wantedFrameRate: Rational { frameRate ?? 30 }
}

/// Which frames of a live input are deinterlaced.
package enum CaptureDeinterlacing: String, Sendable, Hashable, CaseIterable, Codable {
    /// Frames marked as interlaced.
    case auto
    /// All frames, even if marked as progressive.
    case on
    case off
    /// All frames; each field becomes a frame.
    case field
}

/// The settings of a live playlist (HLS).
package struct LivePlaylistRequest: Sendable, Hashable, Codable {
    package var segmentSeconds = 4
    /// The duration of parts, in which segments are listed while they are written (LL-HLS); nil for complete segments
    /// only.
    package var partMilliseconds: Int?
    /// The number of most recent segments in the playlist.
    package var window = 6
    /// Whether to keep all segments.
    package var keepsAll = false

    package init() {}
}

/// The source and the encoding of a recording.
package struct CaptureDescription: Sendable, Hashable, Codable {
    package var device: String
    package var outputs: [String]
    /// The camera's format: `YUYV`, `MJPG`.
    package var format: String
    package var size: PixelSize
    package var frameRate: Rational
    package var codec: VideoCodec
    /// The encoder as shown to users.
    package var encoder: String
    package var usesHardware: Bool
    /// The decoder of a live input as shown to users; nil if none is needed.
    package var decoder: String?
    /// The audio codec; nil without audio.
    package var audio: String?
    /// Whether the audio is copied; nil without audio.
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

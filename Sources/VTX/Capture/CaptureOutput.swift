import VTXCapture
public import VTXMedia
import VTXSystem
import VTXTask

/// An output of a ``CaptureSession`` (AVFoundation: `AVCaptureOutput`).
public struct CaptureOutput: Sendable {
    enum Kind: Sendable {
        case frames(@Sendable (CapturedFrame) -> Void)
        case file(String, CaptureFileConfiguration)
        case recording([String], CaptureFileConfiguration)
    }

    let kind: Kind

    /// Creates an output that passes each frame to a handler (AVFoundation: `AVCaptureVideoDataOutput`).
    ///
    /// - Parameter handler: Called on the session's thread, with one frame at a time. While it runs, up to eight frames
    ///   wait; then the oldest one is dropped.
    public static func frames(_ handler: @escaping @Sendable (CapturedFrame) -> Void) -> CaptureOutput {
        CaptureOutput(kind: .frames(handler))
    }

    /// Creates an output that records a file, encoded in real time (AVFoundation: `AVCaptureMovieFileOutput`). The file
    /// exists from the first frame on, and can be played up to its last second at any time.
    ///
    /// - Parameters:
    ///   - path: The extension determines the container: `.mp4`, `.mov`, `.mkv`, `.ts`, `.h264`, `.h265`, or `.m3u8`
    ///     for a live playlist with its segments (HLS).
    ///   - configuration: The encoding settings.
    public static func file(
        _ path: String, _ configuration: CaptureFileConfiguration = CaptureFileConfiguration()
    ) -> CaptureOutput {
        CaptureOutput(kind: .file(path, configuration))
    }

    /// Creates an output that records files and streams live, all from one encoder. A live output never blocks the
    /// others: it drops frames if its network is too slow, and reconnects if the connection is lost
    /// (``CaptureEvent/notice(code:message:)``).
    ///
    /// - Parameters:
    ///   - outputs: Paths of files as for ``file(_:_:)``, and URLs: `rtmp://host/app/key`, `srt://host:port` (MPEG-TS),
    ///     `udp://host:port` (MPEG-TS). `-` is standard output, to which the program must then print nothing.
    ///   - configuration: The encoding settings.
    public static func recording(
        _ outputs: [String], _ configuration: CaptureFileConfiguration = CaptureFileConfiguration()
    ) -> CaptureOutput {
        CaptureOutput(kind: .recording(outputs, configuration))
    }

    /// - Throws: if an output's name does not allow it.
    func check() throws(TranscodeError) {
        switch kind {
        case .frames: break
        case .file(let path, let configuration): try configuration.request([path]).checkFile()
        case .recording(let names, let configuration): try configuration.request(names).checkOutputs()
        }
    }
}

/// A frame of a camera.
public struct CapturedFrame: Sendable {
    /// NV12 in video range, of the size ``CaptureSession/size``.
    public var pixelBuffer: PixelBuffer
    /// The time by the camera's clock, from the first frame of the session.
    public var time: MediaTime
}

/// The encoding settings of a recorded file.
public struct CaptureFileConfiguration: Sendable, Hashable {
    /// The codec; nil for HEVC if a GPU encodes it, otherwise H.264.
    public var codec: VideoCodec?
    /// A constant quality. Ignored if ``bitrate`` is set.
    public var quality = Quality.standard
    /// The average bit rate, in bits per second.
    public var bitrate: Int?
    /// Whether encoding on a GPU is allowed, required or off.
    public var hardware = HardwarePolicy.auto
    /// Whether left and right are swapped, as in a mirror (AVFoundation: `AVCaptureConnection.isVideoMirrored`).
    public var isVideoMirrored = false
    /// The container of standard output (`-`), if it is one of the outputs; nil for Matroska. Not WebM.
    public var standardOutputContainer: Container?
    /// Whether to replace an existing file, when the first frame arrives.
    public var replacesExisting = false

    public init(codec: VideoCodec? = nil, bitrate: Int? = nil, replacesExisting: Bool = false) {
        self.codec = codec
        self.bitrate = bitrate
        self.replacesExisting = replacesExisting
    }

    func request(_ outputs: [String]) -> CaptureRequest {
        var request = CaptureRequest()
        request.outputs = outputs
        (request.codec, request.quality, request.bitrate) = (codec, quality, bitrate)
        (request.hardware, request.isMirrored) = (hardware, isVideoMirrored)
        request.format = standardOutputContainer
        request.overwrite = replacesExisting ? .replace : .refuse
        return request
    }
}

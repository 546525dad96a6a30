public import VTXMedia
import VTXSystem
import VTXTask

/// What a ``CaptureSession`` does with a camera's pictures (AVFoundation: `AVCaptureOutput`).
public struct CaptureOutput: Sendable {
    enum Kind: Sendable {
        case frames(@Sendable (CapturedFrame) -> Void)
        case file(String, CaptureFileConfiguration)
    }

    let kind: Kind

    /// Hands out each picture (AVFoundation: `AVCaptureVideoDataOutput`).
    ///
    /// - Parameter handler: is called on the session's thread, one picture after the other. While it works, eight
    ///   pictures wait; then the one that has waited longest is dropped.
    public static func frames(_ handler: @escaping @Sendable (CapturedFrame) -> Void) -> CaptureOutput {
        CaptureOutput(kind: .frames(handler))
    }

    /// Records a file, encoded in real time (AVFoundation: `AVCaptureMovieFileOutput`). It is there from the first picture
    /// on, and plays up to its last second at every moment.
    ///
    /// - Parameters:
    ///   - path: its extension says which: `.mp4`, `.mov`, `.mkv`, `.ts`, `.h264`, `.h265`, or `.m3u8` for a live
    ///     playlist with its segments (HLS).
    ///   - configuration: how to encode.
    public static func file(
        _ path: String, _ configuration: CaptureFileConfiguration = CaptureFileConfiguration()
    ) -> CaptureOutput {
        CaptureOutput(kind: .file(path, configuration))
    }
}

/// A picture of a camera.
public struct CapturedFrame: Sendable {
    /// NV12 in video range, in the size of ``CaptureSession/size``.
    public var pixelBuffer: PixelBuffer
    /// By the camera's clock, from the session's first picture on.
    public var time: MediaTime
}

/// How a ``CaptureSession`` encodes a file.
public struct CaptureFileConfiguration: Sendable, Hashable {
    /// nil for HEVC where a GPU encodes it, else H.264.
    public var codec: VideoCodec?
    /// A constant quality; ``bitrate`` takes its place where it is set.
    public var quality = Quality.standard
    /// The average, in bits per second.
    public var bitrate: Int?
    /// Whether a GPU may, must or must not encode.
    public var hardware = HardwarePolicy.auto
    /// Whether a file that has the name already is replaced, with the first picture.
    public var replacesExisting = false

    public init(codec: VideoCodec? = nil, bitrate: Int? = nil, replacesExisting: Bool = false) {
        self.codec = codec
        self.bitrate = bitrate
        self.replacesExisting = replacesExisting
    }

    func request(_ path: String) -> CaptureRequest {
        var request = CaptureRequest()
        request.outputs = [path]
        (request.codec, request.quality, request.bitrate) = (codec, quality, bitrate)
        request.hardware = hardware
        request.overwrite = replacesExisting ? .replace : .refuse
        return request
    }
}

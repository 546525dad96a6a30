public import VTXMedia

/// How a ``DecompressionSession`` is to decode.
public struct VideoDecoderConfiguration: Sendable, Hashable {
    public var codec: VideoCodec
    /// What pictures come out in, one of ``PixelBuffer/formats``; nil for what the decoder has (VideoToolbox:
    /// `destinationImageBufferAttributes`).
    public var pixelFormat: PixelFormat?
    /// Pictures that a GPU decodes stay on its surfaces, for a ``CompressionSession`` on the same GPU. They are few:
    /// release them soon. It holds where ``pixelFormat`` is nil.
    public var keepsSurfaces = false
    /// Frames a second of a stream whose frames have no times, and which does not say it itself; nil for 25.
    public var fps: Rational?
    /// Each frame comes out as soon as its order allows (`RealTime`).
    public var isRealTime = false
    /// Whether a GPU may, must or must not decode (`EnableHardwareAcceleratedVideoDecoder`,
    /// `RequireHardwareAcceleratedVideoDecoder`).
    public var hardware = HardwarePolicy.auto
    /// Which GPU, as in ``VideoEncoderConfiguration/device`` (`RequiredDecoderGPURegistryID`).
    public var device: String?

    public init(codec: VideoCodec, pixelFormat: PixelFormat? = nil) {
        self.codec = codec
        self.pixelFormat = pixelFormat
    }

    func check() throws(SessionError) {
        if let fps, !fps.isFrameRate {
            throw SessionError(.badParameter, "fps cannot be \(fps); allowed: \(Rational.frameRatesAllowed)")
        }
        if let pixelFormat, !PixelBuffer.formats.contains(pixelFormat) {
            let allowed = PixelBuffer.formats.map(\.name).joined(separator: ", ")
            throw SessionError(.badParameter, "pixelFormat cannot be \(pixelFormat); allowed: \(allowed)")
        }
    }
}

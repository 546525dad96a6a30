public import VTXMedia

/// The settings of a ``DecompressionSession``.
public struct VideoDecoderConfiguration: Sendable, Hashable {
    public var codec: VideoCodec
    /// The format of the decoded frames, one of ``PixelBuffer/formats``; nil for the decoder's own format
    /// (VideoToolbox: `destinationImageBufferAttributes`).
    public var pixelFormat: PixelFormat?
    /// The size to which decoded frames are scaled, without regard to their aspect ratio; nil for the stream's own
    /// (VideoToolbox: `destinationImageBufferAttributes`).
    public var size: PixelSize?
    /// Whether frames that a GPU decodes stay on its surfaces, for a ``CompressionSession`` on the same GPU. Surfaces
    /// are few: release them soon. Has an effect only if ``pixelFormat`` and ``size`` are nil.
    public var keepsSurfaces = false
    /// The frame rate to assume for a stream that has neither timestamps nor a frame rate of its own; nil for 25 fps.
    public var fps: Rational?
    /// Whether each frame comes out as soon as display order allows (`RealTime`).
    public var isRealTime = false
    /// Whether decoding on a GPU is allowed, required or off (`EnableHardwareAcceleratedVideoDecoder`,
    /// `RequireHardwareAcceleratedVideoDecoder`).
    public var hardware = HardwarePolicy.auto
    /// The GPU to use, in the form of ``VideoEncoderConfiguration/device`` (`RequiredDecoderGPURegistryID`).
    public var device: String?

    public init(codec: VideoCodec, pixelFormat: PixelFormat? = nil, size: PixelSize? = nil) {
        self.codec = codec
        self.pixelFormat = pixelFormat
        self.size = size
    }

    func check() throws(SessionError) {
        if let fps, !fps.isFrameRate {
            throw SessionError(.badParameter, "fps cannot be \(fps); allowed: \(Rational.frameRatesAllowed)")
        }
        if let pixelFormat, !PixelBuffer.formats.contains(pixelFormat) {
            let allowed = PixelBuffer.formats.map(\.name).joined(separator: ", ")
            throw SessionError(.badParameter, "pixelFormat cannot be \(pixelFormat); allowed: \(allowed)")
        }
        if let size { try PixelBuffer.check(size, pixelFormat ?? .nv12) }
    }
}

public import VTXMedia

/// What became of a coded frame (VideoToolbox: the arguments of `VTDecompressionOutputCallback`).
public struct DecodedFrame: Sendable {
    /// nil for a frame that could not be decoded.
    public var pixelBuffer: PixelBuffer?
    public var presentationTime: MediaTime
    /// nil where it is not known.
    public var duration: MediaTime?
    /// Why there is no picture, or why it is damaged: a decoder conceals what it can.
    public var error: SessionError?
}

public import VTXMedia

/// What became of a coded frame (VideoToolbox: the arguments of `VTDecompressionOutputCallback`).
public struct DecodedFrame: Sendable {
    /// nil for a frame that could not be decoded.
    public var pixelBuffer: PixelBuffer?
    public var presentationTime: MediaTime
    /// nil where it is not known.
    public var duration: MediaTime?
    /// Why there is no picture, or why it is damaged: a decoder conceals what it can.
    ///
    /// `badData` for a frame whose own data are damaged. `referenceMissing` for one that was decoded without a picture
    /// that it refers to, and for those that follow a damaged frame up to the next random access point, intra frames
    /// excepted: which pictures they really refer to is not known.
    public var error: SessionError?
}

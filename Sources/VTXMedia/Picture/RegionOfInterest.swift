/// A region of a frame to encode at a higher or lower quality than the rest.
public struct RegionOfInterest: Sendable, Hashable {
    /// The horizontal position, in pixels of the encoded picture from the left.
    public var x: Int
    public var y: Int
    public var size: PixelSize
    /// The offset added to the quantizer. Negative values raise the quality; 6 steps double the precision.
    public var qpOffset: Int

    /// The range of offsets, which is that of 8-bit H.264 and HEVC.
    public static let qpOffsets = -51...51

    public init(x: Int, y: Int, size: PixelSize, qpOffset: Int) {
        self.x = x
        self.y = y
        self.size = size
        self.qpOffset = qpOffset
    }

    /// Whether the region lies completely inside a picture of this size.
    package func isInside(_ picture: PixelSize) -> Bool {
        x >= 0 && y >= 0 && size.width > 0 && size.height > 0 && size.width <= picture.width
            && size.height <= picture.height && x <= picture.width - size.width && y <= picture.height - size.height
    }
}

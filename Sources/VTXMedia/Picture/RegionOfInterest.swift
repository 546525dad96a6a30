/// A part of a picture that is to be coded better or worse than the rest.
public struct RegionOfInterest: Sendable, Hashable {
    /// In pixels of the picture that is encoded, from its left and its top.
    public var x: Int
    public var y: Int
    public var size: PixelSize
    /// Steps of the quantizer that are added: negative ones are better, and 6 of them double the precision.
    public var qpOffset: Int

    /// What H.264 and HEVC have in 8 bits.
    public static let qpOffsets = -51...51

    public init(x: Int, y: Int, size: PixelSize, qpOffset: Int) {
        self.x = x
        self.y = y
        self.size = size
        self.qpOffset = qpOffset
    }

    /// Whether a picture of this size has all of it.
    package func isInside(_ picture: PixelSize) -> Bool {
        x >= 0 && y >= 0 && size.width > 0 && size.height > 0 && size.width <= picture.width
            && size.height <= picture.height && x <= picture.width - size.width && y <= picture.height - size.height
    }
}

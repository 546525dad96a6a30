/// What of a frame decides which filters it needs.
package struct FrameFormat: Sendable, Hashable, Codable {
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    package var sampleAspectRatio: Rational
    package var color: ColorDescription
    package var isInterlaced: Bool

    package init(
        size: PixelSize, pixelFormat: PixelFormat, sampleAspectRatio: Rational, color: ColorDescription,
        isInterlaced: Bool
    ) {
        self.size = size
        self.pixelFormat = pixelFormat
        self.sampleAspectRatio = sampleAspectRatio
        self.color = color
        self.isInterlaced = isInterlaced
    }

    /// Whether filters that were chosen for `self` do for `other`; a deinterlacer lets progressive frames pass.
    package func accepts(_ other: FrameFormat) -> Bool {
        var same = other
        same.isInterlaced = other.isInterlaced || isInterlaced
        return self == same
    }
}

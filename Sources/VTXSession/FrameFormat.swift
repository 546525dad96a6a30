package import VTXFFmpeg
package import VTXMedia

/// What of a frame decides which filters it needs.
package struct FrameFormat: Sendable, Hashable {
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    package var sampleAspectRatio: Rational
    package var color: ColorDescription
    package var isInterlaced: Bool

    package init(_ frame: Frame) {
        size = frame.size
        pixelFormat = frame.pixelFormat
        sampleAspectRatio = frame.sampleAspectRatio
        color = frame.color
        isInterlaced = frame.isInterlaced
    }

    /// Whether filters that were chosen for `self` do for `other`; a deinterlacer lets progressive frames pass.
    package func accepts(_ other: FrameFormat) -> Bool {
        var same = other
        same.isInterlaced = other.isInterlaced || isInterlaced
        return self == same
    }
}

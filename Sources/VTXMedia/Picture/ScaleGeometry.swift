/// How a picture of one shape is put into a frame of another: cut to `crop`, scaled to `scaled`, placed in
/// `frame`. Pure arithmetic; both backends' filters follow it.
package struct ScaleGeometry: Sendable, Hashable, Codable {
    package var source: PixelSize
    /// The middle part of the source that is kept.
    package var crop: PixelSize
    /// What that part is scaled to.
    package var scaled: PixelSize
    /// The whole frame; black where `scaled` does not reach.
    package var frame: PixelSize

    /// - Parameter sampleAspectRatio: the source's; anything not positive means square samples.
    package init(
        source: PixelSize, sampleAspectRatio: Rational, frame: PixelSize, scaling: ScalingMode, frameIsSquare: Bool
    ) {
        self.source = source
        self.frame = frame
        crop = source
        scaled = frame
        let sampleAspect = frameIsSquare && sampleAspectRatio.isPositive ? sampleAspectRatio.value : 1
        let shape = Double(source.width) * sampleAspect / Double(source.height)
        let frameShape = Double(frame.width) / Double(frame.height)
        // Shapes that differ by less than a pair of pixels are the same shape.
        let tolerance = 2.0 / Double(min(frame.width, frame.height))
        guard abs(shape / frameShape - 1) > tolerance else { return }
        switch scaling {
        case .fill: return
        case .letterbox: scaled = Self.largest(of: shape, in: frame)
        // Of a picture of one row or column, nothing can be cut.
        case .trim where min(source.width, source.height) < 2: return
        case .trim: crop = Self.largest(of: frameShape / sampleAspect, in: source)
        }
    }

    package var needsScaling: Bool { crop != scaled }
    package var needsCropping: Bool { crop != source }
    package var needsPadding: Bool { scaled != frame }

    /// Where the scaled picture lies in the frame; even, for 4:2:0.
    package var padding: (x: Int, y: Int) {
        ((frame.width - scaled.width) / 2 & ~1, (frame.height - scaled.height) / 2 & ~1)
    }

    /// The largest even size of this shape that fits.
    private static func largest(of shape: Double, in box: PixelSize) -> PixelSize {
        let boxShape = Double(box.width) / Double(box.height)
        let size =
            shape > boxShape
            ? PixelSize(box.width, Int((Double(box.width) / shape / 2).rounded()) * 2)
            : PixelSize(Int((Double(box.height) * shape / 2).rounded()) * 2, box.height)
        return PixelSize(max(2, min(box.width, size.width)), max(2, min(box.height, size.height)))
    }
}

/// What happens when the picture's shape is not the output's (VideoToolbox: `kVTScalingMode_*`).
public enum ScalingMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Keep the shape, fill the rest with black.
    case letterbox
    /// Keep the shape, cut off what sticks out.
    case trim
    /// Stretch to the output's shape.
    case fill
}

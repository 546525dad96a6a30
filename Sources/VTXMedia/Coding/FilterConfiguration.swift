/// The strength of a filter.
package enum FilterStrength: String, Sendable, Hashable, CaseIterable, Codable {
    case light
    case medium
    case strong
}

/// Filters written by the user, in the syntax of the device's filter library.
package struct CustomFilters: Sendable, Hashable, Codable {
    /// Empty for none.
    package var text: String
    /// The format of the output.
    package var output: FrameFormat
    /// The unit of the output's timestamps, in seconds.
    package var timeBase: Rational
    /// Not positive if unknown.
    package var frameRate: Rational
    /// Burned in after these filters; nil for none.
    package var subtitles: BitmapSubtitles?
    /// The file whose subtitles the text burns in; nil for none, and for those of the source.
    package var subtitleFile: String?

    package init(text: String, output: FrameFormat, timeBase: Rational, frameRate: Rational) {
        self.text = text
        self.output = output
        self.timeBase = timeBase
        self.frameRate = frameRate
    }
}

/// The format of frames after filtering, whatever their format before.
package struct FilterConfiguration: Sendable, Hashable, Codable {
    package enum Deinterlacing: String, Sendable, Hashable, Codable {
        case never
        /// Deinterlaces only frames flagged as interlaced.
        case flaggedFrames
        case everyFrame
        /// Converts every field to a frame.
        case everyField
        /// Reverses 3:2 pulldown (inverse telecine): four frames out of five.
        case telecine
    }

    package var size: PixelSize
    package var pixelFormat: PixelFormat
    /// The color description of the output. Every field that a conversion needs is specified.
    package var color: ColorDescription
    /// How HDR frames are converted for an output that is not HDR; nil for no tone mapping.
    package var toneMapping: ToneMapping?
    package var scaling: ScalingMode
    /// Whether to scale to square samples. Otherwise the sample aspect ratio is kept.
    package var isSquare: Bool
    /// The sample aspect ratio that the container declares; not positive if that of the frames applies.
    package var sourceAspectRatio = Rational(0, 1)
    /// The color matrix of the source (H.273 8.3), to be converted to that of the output; nil for no conversion.
    package var sourceMatrix: Int?
    package var deinterlacing: Deinterlacing
    /// The part of the source's frames to keep, before rotation; nil for all.
    package var crop: PictureCrop?
    /// The rotation and flip to apply; `.upright` if the container keeps the display matrix.
    package var orientation: DisplayMatrix.Orientation
    /// Custom filters, applied after cropping and rotation and before scaling.
    package var custom: CustomFilters?
    /// Denoising at the output's size, using preceding frames as well.
    package var denoising: FilterStrength?
    /// Sharpening at the output's size.
    package var sharpening: FilterStrength?
    /// The output's frame rate; nil keeps every frame and its timestamp.
    package var frameRate: Rational?
    /// The source's frame rate; a hint.
    package var sourceFrameRate: Rational
    /// The unit of the output's timestamps, in seconds.
    package var timeBase: Rational

    package init(
        size: PixelSize, pixelFormat: PixelFormat, color: ColorDescription, scaling: ScalingMode,
        isSquare: Bool, deinterlacing: Deinterlacing, orientation: DisplayMatrix.Orientation, frameRate: Rational?,
        sourceFrameRate: Rational, timeBase: Rational
    ) {
        self.size = size
        self.pixelFormat = pixelFormat
        self.color = color
        self.scaling = scaling
        self.isSquare = isSquare
        self.deinterlacing = deinterlacing
        self.orientation = orientation
        self.frameRate = frameRate
        self.sourceFrameRate = sourceFrameRate
        self.timeBase = timeBase
    }
}

extension FilterConfiguration {
    /// Whether frames of this format come out unchanged. Their memory layout does not matter.
    package func isIdentity(for source: FrameFormat) -> Bool { frameRate == nil && keepsPicture(of: source) }

    /// Like `isIdentity(for:)`, regardless of the frame rate.
    package func keepsPicture(of source: FrameFormat) -> Bool {
        let aspect = aspectRatio(of: source)
        return orientation == .upright && custom == nil && denoising == nil && sharpening == nil && size == source.size
            && kept(of: source.size).size == size
            && !isDeinterlacing(source) && !isToneMapping(source)
            && pixelFormat.hasSamples(like: source.pixelFormat) && !source.pixelFormat.isRGB && sourceMatrix == nil
            && !(isSquare && aspect.isPositive && aspect.value != 1)
            && (source.color.isFullRange == nil || source.color.isFullRange == color.isFullRange)
    }

    /// The region of a frame of this size that is kept.
    package func kept(of size: PixelSize) -> PixelRegion { crop?.region(in: size) ?? PixelRegion(size: size) }

    /// The sample aspect ratio of the source before rotation. The container's declaration takes precedence over the
    /// frames'.
    package func aspectRatio(of source: FrameFormat) -> Rational {
        sourceAspectRatio.isPositive ? sourceAspectRatio : source.sampleAspectRatio
    }

    package func isDeinterlacing(_ source: FrameFormat) -> Bool {
        switch deinterlacing {
        case .never: false
        case .flaggedFrames: source.isInterlaced
        case .everyFrame, .everyField, .telecine: true
        }
    }

    /// The frame rate after deinterlacing, before it is converted to `frameRate`.
    package var pictureRate: Rational { deinterlacing.rate(from: sourceFrameRate) }

    package func isToneMapping(_ source: FrameFormat) -> Bool {
        toneMapping.map { $0.meaning(of: source.color).isHDR } ?? false
    }
}

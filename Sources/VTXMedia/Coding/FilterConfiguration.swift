/// How much is done to a picture.
package enum FilterStrength: String, Sendable, Hashable, CaseIterable, Codable {
    case light
    case medium
    case strong
}

/// Filters that the user has written, in the notation of the device's own library.
package struct CustomFilters: Sendable, Hashable, Codable {
    package var text: String
    /// What comes out of them.
    package var output: FrameFormat
    /// The unit in which frames that come out count their time.
    package var timeBase: Rational
    /// Not positive where nothing is known of it.
    package var frameRate: Rational

    package init(text: String, output: FrameFormat, timeBase: Rational, frameRate: Rational) {
        self.text = text
        self.output = output
        self.timeBase = timeBase
        self.frameRate = frameRate
    }
}

/// What frames are to look like after the filter, whatever they look like before it.
package struct FilterConfiguration: Sendable, Hashable, Codable {
    package enum Deinterlacing: String, Sendable, Hashable, Codable {
        case never
        /// Frames that say they are interlaced.
        case flaggedFrames
        case everyFrame
        /// Every field becomes a frame.
        case everyField
        /// 3:2 pulldown is undone: four frames come out of five.
        case telecine
    }

    package var size: PixelSize
    package var pixelFormat: PixelFormat
    /// What the output's samples mean; nothing in it is unspecified that a conversion would have to know.
    package var color: ColorDescription
    /// For frames that say they are HDR, where the output is not; nil leaves light as it is.
    package var toneMapping: ToneMapping?
    package var scaling: ScalingMode
    /// The output's samples are square, so the source's sample aspect ratio is scaled away; else it is kept.
    package var isSquare: Bool
    /// What the container says of the source's samples; not positive where the frames' own word counts.
    package var sourceAspectRatio = Rational(0, 1)
    /// The matrix of the source's samples (H.273 8.3), which become ones of the output's; nil leaves them as they are.
    package var sourceMatrix: Int?
    package var deinterlacing: Deinterlacing
    /// What is kept of the source's pictures, as their samples lie; nil keeps all.
    package var crop: PictureCrop?
    /// The turn to apply to the pixels; `.upright` where the container keeps the matrix.
    package var orientation: DisplayMatrix.Orientation
    /// Of pictures that are cropped and turned, before they are scaled.
    package var custom: CustomFilters?
    /// In the output's size, also by the pictures before.
    package var denoising: FilterStrength?
    /// In the output's size.
    package var sharpening: FilterStrength?
    /// nil keeps every frame and its time.
    package var frameRate: Rational?
    /// The source's rate: a hint.
    package var sourceFrameRate: Rational
    /// The unit in which frames that come out count their time.
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
    /// True where frames of this shape come out as they went in; the order of the samples in memory does not count.
    package func isIdentity(for source: FrameFormat) -> Bool { frameRate == nil && keepsPicture(of: source) }

    /// Like `isIdentity`, whatever becomes of the rate.
    package func keepsPicture(of source: FrameFormat) -> Bool {
        let aspect = aspectRatio(of: source)
        return orientation == .upright && custom == nil && denoising == nil && sharpening == nil && size == source.size
            && kept(of: source.size).size == size
            && !isDeinterlacing(source) && !isToneMapping(source)
            && pixelFormat.hasSamples(like: source.pixelFormat) && !source.pixelFormat.isRGB && sourceMatrix == nil
            && !(isSquare && aspect.isPositive && aspect.value != 1)
            && (source.color.isFullRange == nil || source.color.isFullRange == color.isFullRange)
    }

    /// The part of a picture of this size that is kept.
    package func kept(of size: PixelSize) -> PixelRegion { crop?.region(in: size) ?? PixelRegion(size: size) }

    /// Of the source's samples as they lie: the container's word goes before the frames' own.
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

    /// How often pictures come before `frameRate` changes that.
    package var pictureRate: Rational { deinterlacing.rate(from: sourceFrameRate) }

    package func isToneMapping(_ source: FrameFormat) -> Bool {
        toneMapping.map { $0.meaning(of: source.color).isHDR } ?? false
    }
}

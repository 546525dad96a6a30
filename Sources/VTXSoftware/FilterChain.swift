import VTXMedia
import VTXSession

/// Which of libavfilter's filters turn a frame into what is asked for, in their order.
enum FilterChain {
    /// Empty where the frame is right as it is.
    static func describe(_ configuration: FilterConfiguration, for input: FrameFormat) -> [String] {
        deinterlace(configuration, input) + rotate(configuration.orientation) + scale(configuration, input)
            + (configuration.frameRate.map { ["fps=\($0)"] } ?? [])
    }

    private static func deinterlace(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        switch configuration.deinterlacing {
        case .never: []
        case .flaggedFrames: input.isInterlaced ? ["bwdif=mode=send_frame:deint=interlaced"] : []
        case .everyFrame: ["bwdif=mode=send_frame:deint=all"]
        }
    }

    static func rotate(_ orientation: DisplayMatrix.Orientation) -> [String] {
        switch orientation {
        case .upright: []
        case .rotated90: ["transpose=clock"]
        case .rotated180: ["hflip", "vflip"]
        case .rotated270: ["transpose=cclock"]
        case .mirrored: ["hflip"]
        case .mirroredRotated90: ["transpose=clock_flip"]
        case .mirroredRotated180: ["vflip"]
        case .mirroredRotated270: ["transpose=cclock_flip"]
        }
    }

    private static func scale(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        let turned = configuration.orientation.isTransposed ? input.size.transposed : input.size
        let aspect = turnedAspect(configuration, input)
        let isSquared = configuration.isSquare && aspect.isPositive && aspect.value != 1
        // An odd last column or row is cut off, not squeezed into the others.
        let kept = !isSquared && turned.cut(to: configuration.size) ? configuration.size : turned
        var chain = kept == turned ? [] : ["crop=\(colons(kept)):0:0"]
        if !isSquared, kept == configuration.size, !needsConversion(configuration, input) { return chain }
        let geometry = ScaleGeometry(
            source: kept, sampleAspectRatio: aspect, frame: configuration.size, scaling: configuration.scaling,
            frameIsSquare: configuration.isSquare)
        if geometry.needsCropping { chain.append("crop=\(colons(geometry.crop))") }
        let scale = "scale=\(colons(geometry.scaled)):flags=bicubic"
        let format = configuration.pixelFormat
        var conversion = [scale + colors(configuration, input)]
        if let mapping = configuration.toneMapping, configuration.isToneMapping(input) {
            conversion = ToneMappingChain.describe(mapping, configuration, input, size: geometry.scaled)
        }
        guard geometry.needsPadding else { return chain + conversion + ["format=\(format)"] }
        return chain + pad(conversion, geometry, kept, configuration, input)
    }

    /// - Parameters:
    ///   - conversion: what makes the picture that the bars go around.
    ///   - kept: the size before it.
    private static func pad(
        _ conversion: [String], _ geometry: ScaleGeometry, _ kept: PixelSize, _ configuration: FilterConfiguration,
        _ input: FrameFormat
    ) -> [String] {
        let format = configuration.pixelFormat
        let pad = "pad=\(colons(geometry.frame)):\(geometry.padding.x):\(geometry.padding.y)"
        // SDR out of HDR has limited range.
        guard configuration.color.isFullRange == true, format.bitDepth > 8 else {
            // Where scale changes no size, swscale takes NV12's chroma apart with stores of 16 bytes, straight into pad's
            // frame: a place in it that is not aligned crashes (FFmpeg 5.1). A copy gives scale a frame of its own.
            let crashes = input.pixelFormat.name == "nv12" && geometry.scaled == kept && geometry.padding.x % 32 != 0
            return conversion + ["format=\(paddedFormat(configuration))"] + (crashes ? ["copy"] : []) + [pad]
        }
        let scale = "scale=\(colons(geometry.scaled)):flags=bicubic"
        return [
            scale + colors(configuration, input, isLimited: true), "format=\(deepFormat(format))", pad,
            "scale=in_range=tv:out_range=pc", "format=\(format)",
        ]
    }

    /// With more than 8 bits no format says "full", so bars are added in limited range; with 16 bits, so that samples
    /// lose nothing on the way there and back.
    private static func deepFormat(_ format: PixelFormat) -> PixelFormat { .planar(format.chroma, bitDepth: 16) }

    /// The `pad` filter's black is limited range's unless the format itself says "full"; the name of the format is put
    /// right after the graph.
    private static func paddedFormat(_ configuration: FilterConfiguration) -> String {
        let format = configuration.pixelFormat
        guard configuration.color.isFullRange == true, format.bitDepth == 8 else { return format.name }
        return "yuvj" + format.name.dropFirst(3)
    }

    private static func needsConversion(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Bool {
        input.pixelFormat != configuration.pixelFormat || configuration.isToneMapping(input)
            || (input.color.isFullRange != nil && input.color.isFullRange != configuration.color.isFullRange)
    }

    private static func turnedAspect(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Rational {
        let aspect = configuration.aspectRatio(of: input)
        return configuration.orientation.isTransposed ? aspect.reciprocal : aspect
    }

    /// swscale guesses ranges and matrices unless it is told.
    ///
    /// - Parameter isLimited: the samples come out in limited range, whatever they are to be in the end.
    private static func colors(
        _ configuration: FilterConfiguration, _ input: FrameFormat, isLimited: Bool = false
    ) -> String {
        let target = configuration.color
        let from = (input.color.isFullRange ?? target.isFullRange ?? input.pixelFormat.isRGB) ? "pc" : "tv"
        let to = !isLimited && (target.isFullRange ?? false) ? "pc" : "tv"
        var text = ":in_range=\(from):out_range=\(to)"
        if input.pixelFormat.isRGB, let matrix = matrixNames[target.matrix] { text += ":out_color_matrix=\(matrix)" }
        return text
    }

    /// H.273 8.3 as swscale names them.
    private static let matrixNames = [1: "bt709", 5: "bt601", 6: "bt601", 9: "bt2020"]

    private static func colons(_ size: PixelSize) -> String { "\(size.width):\(size.height)" }
}

extension PixelSize {
    /// True where the other size is this one, or this one without its odd last column or row.
    fileprivate func cut(to other: PixelSize) -> Bool {
        (0...1).contains(width - other.width) && (0...1).contains(height - other.height)
    }
}

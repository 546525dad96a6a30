import VTXFFmpeg
import VTXMedia

/// The libavfilter filters that convert a frame to the requested format, in order.
enum FilterChain {
    /// Returns an empty list if the frame needs no filters.
    static func describe(_ configuration: FilterConfiguration, for input: FrameFormat) -> [String] {
        let rate = configuration.frameRate.map { ["fps=\($0)"] } ?? []
        return place(configuration, input) + scale(configuration, input) + rate
    }

    /// Returns the user's filters, and those before them.
    static func describe(
        _ configuration: FilterConfiguration, upTo custom: CustomFilters, for input: FrameFormat
    ) -> [String] {
        let aspect = turnedAspect(configuration, input)
        let shape = aspect.isPositive ? ["setsar=\(aspect.numerator)/\(aspect.denominator)"] : []
        return place(configuration, input) + shape + (custom.text.isEmpty ? [] : [custom.text])
    }

    /// Deinterlaces, crops and rotates.
    private static func place(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        deinterlace(configuration, input) + crop(configuration, input) + configuration.orientation.filters
    }

    private static func deinterlace(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        switch configuration.deinterlacing {
        case .never: []
        case .flaggedFrames: input.isInterlaced ? ["bwdif=mode=send_frame:deint=interlaced"] : []
        case .everyFrame: ["bwdif=mode=send_frame:deint=all"]
        case .everyField: ["bwdif=mode=send_field:deint=all"]
        case .telecine: detelecine(configuration)
        }
    }

    /// `decimate` counts frames and keeps the time base. So `fps` first inserts frames that are missing or only marked
    /// to be repeated, and `settb` sets a time base that divides the frame duration before and after, when five frames
    /// become four. Frames without matching fields are deinterlaced.
    private static func detelecine(_ configuration: FilterConfiguration) -> [String] {
        let rate = Pulldown(of: configuration.sourceFrameRate)?.interlaced ?? configuration.sourceFrameRate
        return [
            "fps=\(rate)", "fieldmatch", "bwdif=mode=send_frame:deint=interlaced",
            "settb=1/\(4 * rate.numerator)", "decimate",
        ]
    }

    private static func crop(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        let kept = configuration.kept(of: input.size)
        return kept.size == input.size ? [] : ["crop=\(colons(kept.size)):\(kept.x):\(kept.y)"]
    }

    /// Denoises and sharpens the picture in the output's size and pixel format. Bars are added afterwards, because
    /// sharpening would turn their edges into lines.
    private static func improve(_ configuration: FilterConfiguration) -> [String] {
        [configuration.denoising.map(denoise), configuration.sharpening.map(sharpen)].compactMap(\.self)
    }

    /// The strengths for luma and chroma, spatial and temporal, are those of HandBrake's presets for the same filter.
    private static func denoise(_ strength: FilterStrength) -> String {
        switch strength {
        case .light: "hqdn3d=2:1:2:3"
        case .medium: "hqdn3d=3:2:2:3"
        case .strong: "hqdn3d=7:7:5:5"
        }
    }

    /// Sharpens luma only, with a matrix of 5 by 5 samples.
    private static func sharpen(_ strength: FilterStrength) -> String {
        switch strength {
        case .light: "unsharp=5:5:0.25:5:5:0"
        case .medium: "unsharp=5:5:0.5:5:5:0"
        case .strong: "unsharp=5:5:1:5:5:0"
        }
    }

    private static func scale(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        let size = configuration.kept(of: input.size).size
        let turned = configuration.orientation.isTransposed ? size.transposed : size
        let aspect = turnedAspect(configuration, input)
        let isSquared = configuration.isSquare && aspect.isPositive && aspect.value != 1
        // An odd last column or row is cropped, not scaled away.
        let kept = !isSquared && turned.cut(to: configuration.size) ? configuration.size : turned
        var chain = kept == turned ? [] : ["crop=\(colons(kept)):0:0"]
        if !isSquared, kept == configuration.size, !needsConversion(configuration, input) {
            return chain + improve(configuration)
        }
        let geometry = ScaleGeometry(
            source: kept, sampleAspectRatio: aspect, frame: configuration.size, scaling: configuration.scaling,
            frameIsSquare: configuration.isSquare)
        if geometry.needsCropping { chain.append("crop=\(colons(geometry.crop))") }
        let conversion = Self.conversion(configuration, input, to: geometry.scaled)
        guard geometry.needsPadding else {
            return chain + conversion + ["format=\(configuration.pixelFormat)"] + improve(configuration)
        }
        return chain + pad(conversion, geometry, kept, configuration, input)
    }

    private static func conversion(
        _ configuration: FilterConfiguration, _ input: FrameFormat, to size: PixelSize
    ) -> [String] {
        if let mapping = configuration.toneMapping, configuration.isToneMapping(input) {
            return ToneMappingChain.describe(mapping, configuration, input, size: size)
        }
        return ["scale=\(colons(size)):flags=bicubic" + colors(configuration, input)]
    }

    /// - Parameters:
    ///   - conversion: The filters for the picture inside the bars.
    ///   - kept: The size before the conversion.
    private static func pad(
        _ conversion: [String], _ geometry: ScaleGeometry, _ kept: PixelSize, _ configuration: FilterConfiguration,
        _ input: FrameFormat
    ) -> [String] {
        let format = configuration.pixelFormat
        let pad = "pad=\(colons(geometry.frame)):\(geometry.padding.x):\(geometry.padding.y)"
        // Tone mapping outputs limited range.
        guard configuration.color.isFullRange == true, format.bitDepth > 8, !format.isRGB else {
            // If the size stays the same, swscale splits NV12's chroma with 16-byte stores directly into the frame of
            // `pad`, and crashes if the picture is not aligned there (FFmpeg 5.1). With `copy`, `scale` gets its own
            // frame.
            let crashes = input.pixelFormat.name == "nv12" && geometry.scaled == kept && geometry.padding.x % 32 != 0
            let padded = paddedFormat(configuration)
            let range = configuration.color.isFullRange == true ? "pc" : "tv"
            return conversion + ["format=\(padded.name)"] + improve(configuration) + (crashes ? ["copy"] : []) + [pad]
                + (padded.isLast ? [] : ["scale=in_range=\(range):out_range=\(range)", "format=\(format)"])
        }
        let scale = "scale=\(colons(geometry.scaled)):flags=bicubic"
        let limited = [scale + colors(configuration, input, isLimited: true), "format=\(deepFormat(format))"]
        return limited + improve(configuration) + [pad, "scale=in_range=tv:out_range=pc", "format=\(format)"]
    }

    /// No format above 8 bits implies full range, so bars are added in limited range, with 16 bits so that the
    /// conversion there and back is lossless.
    private static func deepFormat(_ format: PixelFormat) -> PixelFormat { .planar(format.chroma, bitDepth: 16) }

    /// Returns the pixel format in which bars are added. `pad` draws black in limited range unless the format itself
    /// implies full range, as 8-bit planar YUV can (`yuvj420p`); its name is corrected after the graph. `pad` does not
    /// support packed YUV.
    ///
    /// - Returns: the name, and whether it is the layout of the output.
    private static func paddedFormat(_ configuration: FilterConfiguration) -> (name: String, isLast: Bool) {
        let format = configuration.pixelFormat
        guard !format.isRGB, format.bitDepth == 8 else { return (format.name, true) }
        let planar = PixelFormat.planar(format.chroma, bitDepth: 8)
        if configuration.color.isFullRange == true {
            return ("yuvj\(planar.name.dropFirst(3))", format.name == planar.name)
        }
        let isPacked = format == .yuyv || format == .uyvy
        return (isPacked ? planar.name : format.name, !isPacked)
    }

    private static func needsConversion(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Bool {
        input.pixelFormat != configuration.pixelFormat || configuration.isToneMapping(input)
            || configuration.sourceMatrix != nil
            || (input.color.isFullRange != nil && input.color.isFullRange != configuration.color.isFullRange)
    }

    private static func turnedAspect(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Rational {
        let aspect = configuration.aspectRatio(of: input)
        return configuration.orientation.isTransposed ? aspect.reciprocal : aspect
    }

    /// Without explicit ranges and matrices, swscale guesses them.
    ///
    /// - Parameter isLimited: Whether to convert to limited range, whatever the output's range.
    private static func colors(
        _ configuration: FilterConfiguration, _ input: FrameFormat, isLimited: Bool = false
    ) -> String {
        let target = configuration.color
        // An RGB output's full range says nothing about a YUV source.
        let usual = configuration.pixelFormat.isRGB ? nil : target.isFullRange
        let from = (input.color.isFullRange ?? usual ?? input.pixelFormat.isRGB) ? "pc" : "tv"
        let to = !isLimited && (target.isFullRange ?? false) ? "pc" : "tv"
        var text = ":in_range=\(from):out_range=\(to)"
        if input.pixelFormat.isRGB, let matrix = matrixNames[target.matrix] { text += ":out_color_matrix=\(matrix)" }
        if let source = configuration.sourceMatrix.flatMap({ matrixNames[$0] }), let matrix = matrixNames[target.matrix]
        {
            text += ":in_color_matrix=\(source):out_color_matrix=\(matrix)"
        }
        return text
    }

    /// swscale's names of the matrix coefficients of H.273, 8.3.
    static let matrixNames = [1: "bt709", 5: "bt601", 6: "bt601", 9: "bt2020"]

    private static func colons(_ size: PixelSize) -> String { "\(size.width):\(size.height)" }
}

extension PixelSize {
    /// Whether the other size is the same, or lacks only an odd last column or row.
    fileprivate func cut(to other: PixelSize) -> Bool {
        (0...1).contains(width - other.width) && (0...1).contains(height - other.height)
    }
}

extension FilterConfiguration {
    /// The rest of the configuration, to apply after the user's filters.
    func after(_ custom: CustomFilters) -> FilterConfiguration {
        var rest = self
        (rest.custom, rest.crop, rest.orientation, rest.deinterlacing) = (nil, nil, .upright, .never)
        rest.sourceAspectRatio = Rational(0, 1)
        rest.sourceFrameRate = custom.frameRate
        return rest
    }
}

import VTXFFmpeg
import VTXMedia

/// Which of libavfilter's filters turn a frame into what is asked for, in their order.
enum FilterChain {
    /// Empty where the frame is right as it is.
    static func describe(_ configuration: FilterConfiguration, for input: FrameFormat) -> [String] {
        let rate = configuration.frameRate.map { ["fps=\($0)"] } ?? []
        return place(configuration, input) + scale(configuration, input) + rate
    }

    /// What comes before the user's filters, and those.
    static func describe(
        _ configuration: FilterConfiguration, upTo custom: CustomFilters, for input: FrameFormat
    ) -> [String] {
        let aspect = turnedAspect(configuration, input)
        let shape = aspect.isPositive ? ["setsar=\(aspect.numerator)/\(aspect.denominator)"] : []
        return place(configuration, input) + shape + [custom.text]
    }

    /// Whole pictures, of which the right part lies as it should.
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

    /// `decimate` counts its frames, in the unit of its input: those that are missing, or that the decoder is told to repeat,
    /// have to be there, and the unit has to be a part of four frames and of five. What matches no other field is
    /// deinterlaced.
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

    /// Of the picture alone, in the output's size and samples: bars are added later, or their edges would become lines.
    private static func improve(_ configuration: FilterConfiguration) -> [String] {
        [configuration.denoising.map(denoise), configuration.sharpening.map(sharpen)].compactMap(\.self)
    }

    /// Luma and chroma, within a picture and from one to the next: HandBrake's presets of the same filter.
    private static func denoise(_ strength: FilterStrength) -> String {
        switch strength {
        case .light: "hqdn3d=2:1:2:3"
        case .medium: "hqdn3d=3:2:2:3"
        case .strong: "hqdn3d=7:7:5:5"
        }
    }

    /// Luma alone, over 5 by 5 samples.
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
        // An odd last column or row is cut off, not squeezed into the others.
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
    ///   - conversion: what makes the picture that the bars go around.
    ///   - kept: the size before it.
    private static func pad(
        _ conversion: [String], _ geometry: ScaleGeometry, _ kept: PixelSize, _ configuration: FilterConfiguration,
        _ input: FrameFormat
    ) -> [String] {
        let format = configuration.pixelFormat
        let pad = "pad=\(colons(geometry.frame)):\(geometry.padding.x):\(geometry.padding.y)"
        // SDR out of HDR has limited range.
        guard configuration.color.isFullRange == true, format.bitDepth > 8, !format.isRGB else {
            // Where scale changes no size, swscale takes NV12's chroma apart with stores of 16 bytes, straight into pad's
            // frame: a place in it that is not aligned crashes (FFmpeg 5.1). A copy gives scale a frame of its own.
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

    /// With more than 8 bits no format says "full", so bars are added in limited range; with 16 bits, so that samples
    /// lose nothing on the way there and back.
    private static func deepFormat(_ format: PixelFormat) -> PixelFormat { .planar(format.chroma, bitDepth: 16) }

    /// What bars are added in. The `pad` filter's black is limited range's unless the format itself says "full", as planar
    /// YUV's of 8 bits can; the name of the format is put right after the graph. Packed YUV it does not know at all.
    ///
    /// - Returns: also whether the samples lie as they are to lie in the end.
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

    /// swscale guesses ranges and matrices unless it is told.
    ///
    /// - Parameter isLimited: the samples come out in limited range, whatever they are to be in the end.
    private static func colors(
        _ configuration: FilterConfiguration, _ input: FrameFormat, isLimited: Bool = false
    ) -> String {
        let target = configuration.color
        // RGB's full range says nothing of the YUV that it is made of.
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

extension FilterConfiguration {
    /// What is left to do after the user's filters.
    func after(_ custom: CustomFilters) -> FilterConfiguration {
        var rest = self
        (rest.custom, rest.crop, rest.orientation, rest.deinterlacing) = (nil, nil, .upright, .never)
        rest.sourceAspectRatio = Rational(0, 1)
        rest.sourceFrameRate = custom.frameRate
        return rest
    }
}

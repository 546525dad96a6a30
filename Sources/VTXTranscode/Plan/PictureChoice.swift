import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// The format of the output's frames: size, sample aspect ratio, pixel format, colors.
struct PictureChoice {
    var size: PixelSize
    /// Whether samples are square because a size was requested. Otherwise the source's sample aspect ratio is kept.
    var isSquare: Bool
    var sampleAspectRatio: Rational
    var rotation: RotationChoice
    var filters: CustomFilters?
    var profile: VideoProfile
    var pixelFormat: PixelFormat
    var dynamicRange: DynamicRangeChoice

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ codec: VideoCodec, _ container: Container,
        _ range: OutputRange, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> PictureChoice {
        if source.sample.hasLayers { notes.note(.downgradeLayers, loss(ofLayersIn: source.video)) }
        let rotation = try RotationChoice.choose(request, source, container, &notes)
        try PictureRate.check(request, source)
        let filters = try chooseFilters(request, source, rotation, range, &notes)
        let shape = filters?.output ?? source.sample.shape
        var dynamicRange = DynamicRangeChoice.choose(request, source, chooseColor(source, shape), &notes)
        if filters != nil, !dynamicRange.color.isHDR { dynamicRange.metadata = HDRMetadata() }
        let samples = dynamicRange.samples(of: shape.pixelFormat)
        let profile = try chooseProfile(request, codec, samples, dynamicRange, &notes)
        let format = chooseFormat(
            request, profile, samples, dynamicRange, hasAlphaBeside: source.video.hasAlphaBeside, &notes)
        var picture = PictureChoice(
            size: filters?.output.size ?? rotation.size, isSquare: false,
            sampleAspectRatio: filters?.output.sampleAspectRatio ?? rotation.sampleAspectRatio, rotation: rotation,
            filters: filters, profile: profile, pixelFormat: format, dynamicRange: dynamicRange)
        picture.resize(request, &notes)
        picture.keepPresumedColor(of: source.sample.shape.size, request, &notes)
        return picture
    }

    private static func chooseFilters(
        _ request: TranscodeRequest, _ source: Source, _ rotation: RotationChoice, _ range: OutputRange,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> CustomFilters? {
        let color = chooseColor(source, source.sample.shape)
        let filters = try FilterTrial.run(request, source, rotation, color, &notes)
        guard let drawing = try SubtitleDrawing.choose(request, source) else { return filters }
        notes.decide("subtitles", "\(drawing.name) is burned in", because: "requested")
        var shape = source.sample.shape
        (shape.size, shape.sampleAspectRatio, shape.color) = (rotation.size, rotation.sampleAspectRatio, color)
        let pictures = PictureRate.of(source, request)
        let none = CustomFilters(text: "", output: shape, timeBase: pictures.timeBase, frameRate: pictures.rate)
        return try drawing.following(
            filters ?? none, rotation, asked: request.orientation, of: source.sample.shape.size, offset: range.offset)
    }

    // MARK: Samples

    private static func chooseProfile(
        _ request: TranscodeRequest, _ codec: VideoCodec, _ samples: PixelFormat, _ dynamicRange: DynamicRangeChoice,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> VideoProfile {
        if let profile = request.profile {
            guard profile.codec == codec else { throw .profile(profile.name, isNotOneOf: codec) }
            notes.decide("profile", profile.name, because: "requested")
            return profile
        }
        switch codec {
        case .h264:
            if request.bitDepth == 10 { throw .tenBitH264 }
            notes.decide("profile", "high", because: "every current H.264 decoder supports it")
            return .high
        case .hevc:
            let depth = request.bitDepth ?? samples.bitDepth
            let profile = depth > 8 ? VideoProfile.main10 : .hevcMain
            let own: Message =
                dynamicRange.toneMapping == nil ? "the source has \(samples.bitDepth) bits" : "SDR takes 8 bits"
            notes.decide(
                "profile", profile.name, because: request.bitDepth.map { "\($0) bits were requested" } ?? own)
            return profile
        case .av1:
            if let depth = request.bitDepth { notes.decide("bit depth", "\(depth)", because: "requested") }
            notes.decide("profile", "main", because: "every decoder supports it, with 8 and 10 bits")
            return .av1Main
        }
    }

    private static func chooseFormat(
        _ request: TranscodeRequest, _ profile: VideoProfile, _ source: PixelFormat, _ dynamicRange: DynamicRangeChoice,
        hasAlphaBeside: Bool, _ notes: inout PlanNotes
    ) -> PixelFormat {
        // AV1 has no profile for 8 bits alone, and High 4:4:4 Predictive takes all depths.
        let isDeepAsked =
            request.profile != nil && profile.maxBitDepth > 8 && profile != .high444 && profile.codec != .av1
        let own = isDeepAsked ? profile.maxBitDepth : source.bitDepth > 8 ? profile.maxBitDepth : 8
        let depth = request.bitDepth ?? own
        let wanted = source.isRGB ? ChromaSampling.yuv444 : source.chroma
        // A profile that was requested is delivered, even where the source would fit into less.
        let chroma = request.profile == nil ? min(max(wanted, .yuv420), profile.maxChroma) : profile.maxChroma
        if depth < source.bitDepth {
            let reason: Message =
                request.bitDepth == nil ? "\(profile.codec) \(profile.name) supports no more" : "requested"
            noteBits(source, depth, because: reason, isHDR: dynamicRange.color.isHDR, &notes)
        }
        note(source, wanted, becomes: chroma, profile, &notes)
        if source.hasAlpha || hasAlphaBeside {
            notes.note(.downgradeAlpha, "transparency is lost: \(profile.codec) has none")
        }
        return .planar(chroma, bitDepth: depth)
    }

    private static func noteBits(
        _ source: PixelFormat, _ depth: Int, because reason: Message, isHDR: Bool, _ notes: inout PlanNotes
    ) {
        let banding: Message =
            isHDR ? ", and HDR shows banding; \(option: .dynamicRange, "sdr") converts it to SDR" : ""
        notes.note(
            .downgradeBitDepth, "\(source.bitDepth)-bit video becomes \(depth)-bit: \(reason)\(banding)")
    }

    /// Notes how the samples change.
    private static func note(
        _ source: PixelFormat, _ wanted: ChromaSampling, becomes chroma: ChromaSampling, _ profile: VideoProfile,
        _ notes: inout PlanNotes
    ) {
        if chroma < wanted {
            notes.note(
                .downgradeChroma,
                "\(source.isRGB ? "RGB" : wanted.ratio) video becomes \(chroma.ratio): "
                    + "\(profile.codec) \(profile.name) supports no more")
        } else if source.isRGB {
            notes.note(.conversionRGB, "RGB video becomes YUV \(chroma.ratio)")
        }
    }

    private static func loss(ofLayersIn video: InputStream) -> Message {
        let kinds = video.codecName == "h264" ? "MVC, SVC" : "MV-HEVC, SHVC"
        return "only the video's base layer is decoded: its other layers (\(kinds)), such as a second view, are lost"
    }

    /// - Parameter shape: The format of the source, or of the output of custom filters.
    private static func chooseColor(_ source: Source, _ shape: FrameFormat) -> ColorDescription {
        // The bitstream knows its own samples; the container fills the gaps.
        var color = shape.color.filled(from: source.video.color)
        if shape.pixelFormat.isRGB {
            color.matrix = color.primaries == 9 ? 9 : 1
            color.isFullRange = false
        }
        // Gray pictures have no black below black; who writes them means all of the range.
        if shape.pixelFormat.chroma == .monochrome { color.isFullRange = color.isFullRange ?? true }
        return color
    }

    /// Declares the assumed colors of an untagged source if its size changes so that players would assume others, or if
    /// there are several sizes.
    private mutating func keepPresumedColor(
        of source: PixelSize, _ request: TranscodeRequest, _ notes: inout PlanNotes
    ) {
        let isUnspecified = dynamicRange.color.matrix == ColorDescription.unspecifiedCode
        guard isUnspecified, !dynamicRange.color.isHDR,
            request.hasRenditions || size.isHD != source.isHD
        else { return }
        dynamicRange.color = dynamicRange.color.filled(from: .presumed(of: source))
        notes.decide(
            "colors", source.isHD ? "BT.709" : "BT.601",
            because: "the source is untagged, and players assume this for \(source)")
    }

    // MARK: Size

    private mutating func resize(_ request: TranscodeRequest, _ notes: inout PlanNotes) {
        // A size is what the viewer sees, so it is turned with the display matrix.
        let isTurned = rotation.displayMatrix?.orientation?.isTransposed ?? false
        let aspect = isTurned && sampleAspectRatio.isPositive ? sampleAspectRatio.reciprocal : sampleAspectRatio
        let shown = isTurned ? size.transposed : size
        guard let wanted = request.size?.size(for: shown, aspectRatio: aspect) else {
            round(size, "; the last column or row is cropped", &notes)
            let within = request.size.map { "; it is within \($0)" } ?? ""
            return notes.decide(
                "size", "\(size)", because: "\(sizeReason)\(within)")
        }
        isSquare = true
        sampleAspectRatio = Rational(1, 1)
        round(isTurned ? wanted.transposed : wanted, "", &notes)
        let fitting = request.size?.isExact == true ? ", \(request.scaling.rawValue)" : ""
        notes.decide("size", "\(size)\(fitting)", because: reason(request, wanted, isTurned))
    }

    private var sizeReason: Message {
        if let filters, !filters.text.isEmpty { return "the output of the filters" }
        return rotation.crop == nil ? "the source's" : "the cropped picture's"
    }

    private func reason(_ request: TranscodeRequest, _ wanted: PixelSize, _ isTurned: Bool) -> Message {
        guard let asked = request.size, !asked.isExact else {
            return isTurned ? "\(wanted) was requested, and the picture is rotated" : "requested"
        }
        return asked.isLimit ? "at most \(asked) was requested" : "\(asked) was requested; the aspect ratio is kept"
    }

    private mutating func round(_ wanted: PixelSize, _ effect: String, _ notes: inout PlanNotes) {
        size = wanted.rounded(for: pixelFormat.chroma)
        guard size != wanted else { return }
        notes.note(
            .downgradeSize, "\(wanted) becomes \(size): \(pixelFormat.chroma.ratio) requires even sides\(effect)")
    }
}

extension TranscodeError {
    fileprivate static var tenBitH264: TranscodeError {
        TranscodeError(
            .conflict, "\(option: .bitDepth, "10"): hardly any player plays H.264 of 10 bits",
            hint:
                "\(option: .codec, "hevc") and \(option: .codec, "av1") have 10 bits; \(option: .profile, "high10") encodes H.264 so nevertheless"
        )
    }
}

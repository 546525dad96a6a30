import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// What the output's pictures are: size, shape, turn, samples, colors.
struct PictureChoice {
    var size: PixelSize
    /// Samples are square because a size was asked for; else the source's shape is kept.
    var isSquare: Bool
    var sampleAspectRatio: Rational
    var crop: PictureCrop?
    var orientation: DisplayMatrix.Orientation = .upright
    var displayMatrix: DisplayMatrix?
    var profile: VideoProfile
    var pixelFormat: PixelFormat
    var range: DynamicRangeChoice

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ codec: VideoCodec, _ container: Container,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> PictureChoice {
        let shape = source.sample.shape
        let range = DynamicRangeChoice.choose(request, source, chooseColor(source), &notes)
        let samples = range.samples(of: shape.pixelFormat)
        let profile = try chooseProfile(request, codec, samples, range, &notes)
        let format = chooseFormat(
            request, profile, samples, range, hasAlphaBeside: source.video.metadata["alpha_mode"] == "1", &notes)
        let containerAspect = source.video.sampleAspectRatio
        var picture = PictureChoice(
            size: shape.size, isSquare: false,
            sampleAspectRatio: containerAspect.isPositive ? containerAspect : shape.sampleAspectRatio,
            profile: profile, pixelFormat: format, range: range)
        if source.sample.hasLayers { notes.note(.downgradeLayers, loss(ofLayersIn: source.video)) }
        picture.crop = try CropChoice(request, source, output: format).choose(&notes)
        picture.size = picture.crop?.region.size ?? picture.size
        picture.rotate(request, source, container, &notes)
        picture.resize(request, &notes)
        return picture
    }

    // MARK: Samples

    private static func chooseProfile(
        _ request: TranscodeRequest, _ codec: VideoCodec, _ samples: PixelFormat, _ range: DynamicRangeChoice,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> VideoProfile {
        if let profile = request.profile {
            guard profile.codec == codec else { throw .profile(profile.name, isNotOneOf: codec) }
            notes.decide("profile", profile.name, because: "asked for")
            return profile
        }
        switch codec {
        case .h264:
            notes.decide("profile", "high", because: "every H.264 decoder of today plays it")
            return .high
        case .hevc:
            let profile = samples.bitDepth > 8 ? VideoProfile.main10 : .hevcMain
            notes.decide(
                "profile", profile.name,
                because: range.toneMapping == nil ? "the source has \(samples.bitDepth) bits" : "SDR takes 8 bits")
            return profile
        case .av1:
            notes.decide("profile", "main", because: "it is the one that decoders have, with 8 and 10 bits")
            return .av1Main
        }
    }

    private static func chooseFormat(
        _ request: TranscodeRequest, _ profile: VideoProfile, _ source: PixelFormat, _ range: DynamicRangeChoice,
        hasAlphaBeside: Bool, _ notes: inout PlanNotes
    ) -> PixelFormat {
        let isDeepAsked = request.profile != nil && profile.maxBitDepth > 8 && profile != .high444
        let depth = isDeepAsked ? profile.maxBitDepth : source.bitDepth > 8 ? profile.maxBitDepth : 8
        let wanted = source.isRGB ? ChromaSampling.yuv444 : source.chroma
        // A profile that was asked for is delivered, even where the source would fit into less.
        let chroma = request.profile == nil ? min(max(wanted, .yuv420), profile.maxChroma) : profile.maxChroma
        note(source, wanted, becomes: (depth, chroma), profile, isHDR: range.color.isHDR, &notes)
        if source.hasAlpha || hasAlphaBeside {
            notes.note(.downgradeAlpha, "transparency is lost: \(profile.codec) has none")
        }
        return .planar(chroma, bitDepth: depth)
    }

    /// What the samples lose, or turn into.
    private static func note(
        _ source: PixelFormat, _ wanted: ChromaSampling, becomes new: (depth: Int, chroma: ChromaSampling),
        _ profile: VideoProfile, isHDR: Bool, _ notes: inout PlanNotes
    ) {
        if new.depth < source.bitDepth {
            notes.note(
                .downgradeBitDepth,
                "\(source.bitDepth)-bit video becomes \(new.depth)-bit: \(profile.codec) \(profile.name) holds no more"
                    + (isHDR
                        ? ", and HDR shows steps; \(option: .dynamicRange, "sdr") would make SDR of it" : ""))
        }
        if new.chroma < wanted {
            notes.note(
                .downgradeChroma,
                "\(source.isRGB ? "RGB" : wanted.ratio) video becomes \(new.chroma.ratio): "
                    + "\(profile.codec) \(profile.name) holds no more")
        } else if source.isRGB {
            notes.note(.conversionRGB, "RGB video becomes YUV \(new.chroma.ratio)")
        }
    }

    private static func loss(ofLayersIn video: InputStream) -> Message {
        let kinds = video.codecName == "h264" ? "MVC, SVC" : "MV-HEVC, SHVC"
        return "only the video's base layer is decoded: its other layers (\(kinds)), such as a second view, are lost"
    }

    private static func chooseColor(_ source: Source) -> ColorDescription {
        // The bitstream knows its own samples; the container fills the gaps.
        var color = source.sample.shape.color.filled(from: source.video.color)
        if source.sample.shape.pixelFormat.isRGB {
            color.matrix = color.primaries == 9 ? 9 : 1
            color.isFullRange = false
        }
        // Gray pictures have no black below black; who writes them means all of the range.
        if source.sample.shape.pixelFormat.chroma == .monochrome { color.isFullRange = color.isFullRange ?? true }
        return color
    }

    // MARK: Shape

    private mutating func rotate(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) {
        if request.turn != .upright { return turn(request.turn, after: source.displayMatrix, &notes) }
        guard let matrix = source.displayMatrix, matrix.orientation != .upright else { return }
        let canKeep = ContainerRules.of(container).holdsDisplayMatrix
        if canKeep && !request.rotatesPixels {
            displayMatrix = matrix
            notes.decide(
                "rotation", matrix.orientation?.rawValue ?? "kept",
                because: "the display matrix goes into the container")
            return
        }
        guard let orientation = matrix.orientation else { return noteLostMatrix(&notes) }
        rotatePixels(orientation, because: request.rotatesPixels ? nil : "\(container) holds no display matrix", &notes)
    }

    private func noteLostMatrix(_ notes: inout PlanNotes) {
        notes.note(.downgradeRotation, "the display matrix is neither a turn nor a mirror, and is lost")
    }

    /// What was asked for begins with the picture as it is shown, and the output needs no display matrix.
    private mutating func turn(
        _ asked: DisplayMatrix.Orientation, after matrix: DisplayMatrix?, _ notes: inout PlanNotes
    ) {
        let shown = matrix.map(\.orientation) ?? .upright
        if shown == nil { noteLostMatrix(&notes) }
        let total = (shown ?? .upright).followed(by: asked)
        guard total == .upright else { return rotatePixels(total, because: nil, &notes) }
        notes.decide(
            "rotation", "the display matrix is left out", because: "the picture is asked for as its samples lie")
    }

    /// - Parameter reason: why, where that was not asked for.
    private mutating func rotatePixels(
        _ orientation: DisplayMatrix.Orientation, because reason: Message?, _ notes: inout PlanNotes
    ) {
        self.orientation = orientation
        if orientation.isTransposed {
            size = size.transposed
            sampleAspectRatio = sampleAspectRatio.isPositive ? sampleAspectRatio.reciprocal : sampleAspectRatio
        }
        notes.decide("rotation", "\(orientation.rawValue), in the pixels", because: reason ?? "asked for")
        if let reason {
            notes.note(.conversionRotation, "the picture is \(orientation.inDegrees) in its pixels: \(reason)")
        }
    }

    private mutating func resize(_ request: TranscodeRequest, _ notes: inout PlanNotes) {
        // A size is what the viewer sees, so it is turned with the display matrix.
        let isTurned = displayMatrix?.orientation?.isTransposed ?? false
        let aspect = isTurned && sampleAspectRatio.isPositive ? sampleAspectRatio.reciprocal : sampleAspectRatio
        let shown = isTurned ? size.transposed : size
        guard let wanted = request.size?.size(for: shown, aspectRatio: aspect) else {
            round(size, "; the last column or row is cut", &notes)
            let within = request.size.map { "; it is within \($0)" } ?? ""
            return notes.decide(
                "size", "\(size)", because: crop == nil ? "the source's\(within)" : "what the crop leaves\(within)")
        }
        isSquare = true
        sampleAspectRatio = Rational(1, 1)
        round(isTurned ? wanted.transposed : wanted, "", &notes)
        let fitting = request.size?.isExact == true ? ", \(request.scaling.rawValue)" : ""
        notes.decide("size", "\(size)\(fitting)", because: reason(request, wanted, isTurned))
    }

    private func reason(_ request: TranscodeRequest, _ wanted: PixelSize, _ isTurned: Bool) -> Message {
        guard let asked = request.size, !asked.isExact else {
            return isTurned ? "\(wanted) was asked for, and the picture is shown turned" : "asked for"
        }
        return asked.isLimit ? "at most \(asked) was asked for" : "\(asked) was asked for; the shape is kept"
    }

    private mutating func round(_ wanted: PixelSize, _ effect: String, _ notes: inout PlanNotes) {
        size = wanted.rounded(for: pixelFormat.chroma)
        guard size != wanted else { return }
        notes.note(
            .downgradeSize, "\(wanted) becomes \(size): \(pixelFormat.chroma.ratio) needs even sides\(effect)")
    }
}

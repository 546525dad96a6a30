import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Decides how the video is decoded, filtered and encoded.
struct VideoChoice {
    private let request: TranscodeRequest
    private let source: Source
    private let device: DeviceChoice
    private let picture: PictureChoice
    private let container: Container
    private let sourceRate: FrameRateChoice
    private let pictureRate: PictureRate

    init(
        _ request: TranscodeRequest, _ source: Source, _ device: DeviceChoice, _ picture: PictureChoice,
        _ container: Container
    ) {
        self.request = request
        self.source = source
        self.device = device
        self.picture = picture
        self.container = container
        sourceRate = FrameRateChoice.of(source)
        pictureRate = PictureRate.of(source, request)
    }

    private var rate: Rational { request.frameRate ?? picture.filters?.frameRate ?? pictureRate.rate }
    private var isConstantFrameRate: Bool { request.frameRate != nil || pictureRate.isConstant }
    /// The default interval between key frames, in seconds.
    private var standardInterval: Double { request.hasRenditions ? 2 : 10 }
    private var interval: KeyFrameInterval { request.keyFrameInterval ?? KeyFrameInterval(seconds: standardInterval) }
    private var timeBase: Rational {
        request.frameRate.map(\.reciprocal) ?? picture.filters?.timeBase ?? pictureRate.timeBase
    }

    func plan(_ encoding: VideoEncoding, _ range: OutputRange, _ notes: inout PlanNotes) -> VideoPlan {
        var plan = VideoPlan(
            source: source.video.info, constantFrameRate: isConstantFrameRate ? rate : nil,
            displayMatrix: picture.rotation.displayMatrix,
            expectedFrames: range.expectedFrames(at: rate, indexed: source.video.info.frameCount),
            encoding: encoding)
        plan.projection = projection(&notes)
        return plan
    }

    private func projection(_ notes: inout PlanNotes) -> VideoProjection? {
        guard let projection = source.video.projection else {
            // x264 writes the SEI message that the frames come with (H.264 D.2.26).
            if source.sample.sideDataKinds.contains("Stereo 3D"), device.codec != .h264 || device.matrix.isHardware {
                notes.note(.downgradeProjection, "the 3D packing is lost: the encoder does not write it")
            }
            return nil
        }
        let (rules, rotation) = (ContainerRules.of(container, request), picture.rotation)
        let isMoved = rotation.crop != nil || rotation.orientation != .upright || request.filters != nil
        if !isMoved, rules.holdsProjection { return projection }
        let reason: Message = isMoved ? "it describes other pictures" : "\(rules.name) cannot store it"
        notes.note(.downgradeProjection, "the \(projection.name) is lost: \(reason)")
        return nil
    }

    func encoding(_ notes: inout PlanNotes) -> VideoEncoding {
        noteTimes(&notes)
        noteInterlacing(&notes)
        noteMissingPulldown(&notes)
        noteSettings(&notes)
        var encoding = VideoEncoding(
            device: device.matrix.device, deviceName: device.matrix.deviceName, usesHardware: device.matrix.isHardware,
            filter: filter, encoder: encoder(RateChoice.choose(request, device.codec, &notes)),
            keyFrameSeconds: isConstantFrameRate ? nil : interval.seconds)
        encoding.target = request.target
        encoding.verification = request.verification ?? (request.replacesSource ? .full : .sample)
        return encoding
    }

    private func noteTimes(_ notes: inout PlanNotes) {
        if source.rawFrameRate == .assumed {
            notes.note(
                .sourceFrameRate,
                "the raw stream has no frame rate: 25 frames per second are assumed; "
                    + "\(option: .inputFrameRate) sets another")
        }
        notes.decide(
            "frame rate",
            request.frameRate.map { "\($0)" }
                ?? (isConstantFrameRate ? "\(rate)" : "variable, about \(rate)"),
            because: request.frameRate != nil
                ? "requested" : rate == pictureRate.rate ? ownRate : "the output of the filters")
        notes.decide(
            "key frames", "at most \(interval.frameCount(at: rate)) frames apart",
            because: request.keyFrameInterval == nil
                ? "\(Int(standardInterval)) s, the default" : "\(interval) was requested")
    }

    private var ownRate: Message { pictureRate.reason ?? "every frame keeps its timestamp" }

    /// Whether frames that stay interlaced are encoded as fields, if supported.
    private var isInterlaced: Bool {
        source.sample.shape.isInterlaced && deinterlacing == .never && device.codec == .h264
            && !device.matrix.isHardware && picture.profile != .baseline && picture.rotation.orientation == .upright
            && picture.filters == nil && picture.size == picture.rotation.size
    }

    private func noteInterlacing(_ notes: inout PlanNotes) {
        if source.sample.shape.isInterlaced, deinterlacing == .never, !isInterlaced, picture.filters == nil {
            notes.notices.append(.unmarkedFields)
        }
        guard source.sample.shape.isInterlaced || ![.auto, .off].contains(request.deinterlace) else { return }
        notes.decide(
            "interlacing",
            deinterlacing == .never && picture.filters != nil ? "left to the filters" : deinterlacing.text,
            because: request.deinterlace == .auto ? "the frames are marked as interlaced" : "requested")
    }

    /// Notes that the frames may already be those that its removal would restore.
    private func noteMissingPulldown(_ notes: inout PlanNotes) {
        let isProgressive = !source.sample.shape.isInterlaced && !source.sample.repeatsFields
        guard deinterlacing == .telecine, isProgressive else { return }
        let (telecine, rate): (Message, _) = ("\(option: .deinterlace, "telecine")", sourceRate.rate)
        notes.note(
            .sourcePulldown,
            rate.value < 24.5
                ? "\(telecine) has nothing to remove: the source has \(rate) progressive frames a second, without pulldown"
                : "\(telecine) drops every fifth frame, and the source's are marked as progressive: without pulldown they are lost"
        )
    }

    private func noteSettings(_ notes: inout PlanNotes) {
        let settings = [
            ("denoising", request.denoising?.rawValue), ("sharpening", request.sharpening?.rawValue),
            ("preset", request.encoderPreset), ("tuning", request.tuning?.rawValue),
            ("encoder options", request.encoderOptions?.text),
        ]
        for case (let subject, let setting?) in settings { notes.decide(subject, setting, because: "requested") }
    }

    private var deinterlacing: FilterConfiguration.Deinterlacing { pictureRate.deinterlacing }

    private var filter: FilterConfiguration {
        var filter = FilterConfiguration(
            size: picture.size, pixelFormat: picture.pixelFormat, color: picture.dynamicRange.color,
            scaling: request.scaling,
            isSquare: picture.isSquare, deinterlacing: deinterlacing, orientation: picture.rotation.orientation,
            frameRate: request.frameRate, sourceFrameRate: sourceRate.rate, timeBase: timeBase)
        filter.sourceAspectRatio = source.video.sampleAspectRatio
        (filter.crop, filter.custom) = (picture.rotation.crop, picture.filters)
        (filter.denoising, filter.sharpening) = (request.denoising, request.sharpening)
        filter.toneMapping = picture.dynamicRange.toneMapping
        return filter
    }

    private func encoder(_ rateControl: RateControl) -> EncoderConfiguration {
        var configuration = EncoderConfiguration(
            codec: device.codec, profile: picture.profile, size: picture.size, pixelFormat: picture.pixelFormat,
            timeBase: timeBase, frameRate: rate, sampleAspectRatio: picture.sampleAspectRatio,
            color: picture.dynamicRange.color, hdrMetadata: picture.dynamicRange.metadata, rateControl: rateControl,
            preset: request.preset, maxKeyFrameInterval: interval.frameCount(at: rate),
            allowsFrameReordering: request.allowsBFrames && picture.profile.allowsBFrames,
            usesGlobalHeader: Muxer.wantsGlobalHeader(format: container.muxerName))
        configuration.hardware = request.hardwareEncoder
        configuration.isInterlaced = isInterlaced
        configuration.isConstantFrameRate = container.isElementaryStream
        configuration.pass = request.pass
        configuration.presetName = request.encoderPreset
        (configuration.tuning, configuration.options) = (request.tuning, request.encoderOptions ?? [])
        return configuration
    }
}

/// The frame rate of the source, which containers often do not declare.
struct FrameRateChoice {
    var rate: Rational
    /// Whether the frame rate is constant.
    var isConstantFrameRate: Bool

    private static let plausible = 0.1...300.0

    static func of(_ source: Source) -> FrameRateChoice {
        if let asked = source.rawFrameRate.asked { return FrameRateChoice(rate: asked, isConstantFrameRate: true) }
        return of(source.video.info, source.sample)
    }

    private static func of(_ stream: StreamInfo, _ sample: ProbedFrames) -> FrameRateChoice {
        let average = stream.averageFrameRate
        let real = stream.realFrameRate
        let isAveragePlausible = average.isPositive && plausible.contains(average.value)
        let isRealPlausible = real.isPositive && plausible.contains(real.value)
        if isAveragePlausible {
            return FrameRateChoice(
                rate: average, isConstantFrameRate: isRealPlausible && abs(real.value / average.value - 1) < 0.001)
        }
        if isRealPlausible { return FrameRateChoice(rate: real, isConstantFrameRate: false) }
        let measured = sample.measuredRate.map { Rational(Int(($0 * 1000).rounded()), 1000) }
        if let measured, plausible.contains(measured.value) {
            return FrameRateChoice(rate: measured, isConstantFrameRate: false)
        }
        return FrameRateChoice(rate: Rational(25, 1), isConstantFrameRate: false)
    }
}

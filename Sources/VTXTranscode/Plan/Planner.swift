import VTXFFmpeg
import VTXMedia
package import VTXSession

/// Looks at the source and the devices, and decides everything before the first frame.
package struct Planner {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]
    private let faults: StageFaults
    private let budget: SurfaceBudget

    /// Enough for the threads on both sides to sleep while several frames pass, and few on the smallest GPU.
    private static let budget = SurfaceBudget(queueDepth: 4)

    package init(_ request: TranscodeRequest, backends: [any VideoBackend]) {
        self.init(request, backends: backends, after: StageFaults())
    }

    /// - Parameter faults: what GPUs have failed at on earlier attempts.
    init(
        _ request: TranscodeRequest, backends: [any VideoBackend], after faults: StageFaults,
        budget: SurfaceBudget = Planner.budget
    ) {
        self.request = request
        self.backends = backends
        self.faults = faults
        self.budget = budget
    }

    /// - Returns: the plan, the session that it was made for, and the opened source.
    package func plan() throws(TranscodeError) -> PreparedTranscode {
        let source = try SourceInspector.open(request.input, videoPosition: request.selection.video)
        return try plan(for: source)
    }

    /// Walks down: a GPU that refuses the job is left out of the next try, and the software refuses nothing.
    private func plan(for source: Source) throws(TranscodeError) -> PreparedTranscode {
        var refused = faults.atStart.compactMap(DeviceRefusal.init)
        while true {
            switch try attempt(source, without: refused) {
            case .success(let prepared): return prepared
            case .failure(let refusal): refused.append(refusal)
            }
        }
    }

    private func attempt(
        _ source: Source, without refused: [DeviceRefusal]
    ) throws(TranscodeError) -> Result<PreparedTranscode, DeviceRefusal> {
        var notes = PlanNotes()
        notes.notices = refused.map(\.notice)
        if let fault = request.hardwareFault {
            notes.notices.append(Notice(.fallback, "fallback.fault", "\(fault); all is done again in software"))
        }
        let device = try DeviceChoice.choose(request, from: backends, without: refused, &notes)
        let output = try OutputChoice.choose(request, codec: device.codec, &notes)
        try OutputFile.checkDistinct(input: request.input, output: output.path)
        let picture = try PictureChoice.choose(request, source, device.codec, output.container, &notes)
        let capability: EncoderCapability
        do { capability = try checkCapability(device, picture) } catch {
            guard let refusal = device.refusal(error.message) else { throw error }
            return .failure(refusal)
        }
        let clock = ClockChoice.choose(request, source, output.container, &notes)
        var video = planVideo(device, picture, clock, source, output.container, &notes)
        video.encoder.failedModes = faults.failedModes(of: device.matrix.device)
        let sessions: StageSessions
        switch try StageLadder(backends, device, after: faults, request.hardware, budget).climb(
            video, source.sample.shape, &notes)
        {
        case .success(let found): sessions = found
        case .failure(let refusal): return .failure(refusal)
        }
        video.usesHardware = sessions.usesHardware
        noteLosses(source, capability, picture.range, &notes)
        let streams = try StreamChoice.choose(request, source, output.container, &notes)
        var plan = TranscodePlan(
            input: request.input, output: output.path, container: output.container,
            isFragmented: request.isFragmented, video: video, streams: streams,
            clock: clock, chapters: MetadataChoice.chapters(request, source, output.container, clock, &notes),
            metadata: MetadataChoice.metadata(request, source, output.container, streams, &notes),
            decisions: notes.decisions, notices: notes.notices, ffmpegCommand: [])
        plan.ffmpegCommand = FFmpegCommand.arguments(for: plan, request, source.sample.shape, sessions)
        try Self.check(plan.notices, against: request)
        try Self.check(sessions, of: plan, against: request)
        return .success(PreparedTranscode(plan: plan, source: source, sessions: sessions))
    }

    private func checkCapability(
        _ device: DeviceChoice, _ picture: PictureChoice
    ) throws(TranscodeError) -> EncoderCapability {
        guard let row = device.matrix.encoder(device.codec, picture.profile) else {
            let allowed = device.matrix.encoders.filter { $0.codec == device.codec }.map(\.profile.name)
            throw TranscodeError(
                .unsupported, "profile",
                "\(device.matrix.deviceName) does not encode \(device.codec) \(picture.profile.name)",
                hint: "it encodes: " + allowed.joined(separator: ", "))
        }
        guard row.input(like: picture.pixelFormat) != nil else {
            throw TranscodeError(
                .unsupported, "pixelFormat", "\(device.matrix.deviceName) takes no \(picture.pixelFormat)")
        }
        guard row.holds(picture.size) else {
            throw TranscodeError(
                .unsupported, "size", "\(device.codec) cannot be encoded at \(picture.size) here",
                hint: "allowed: \(row.minSize) to \(row.maxSize); --size chooses another")
        }
        return row
    }

    private func planVideo(
        _ device: DeviceChoice, _ picture: PictureChoice, _ clock: ClockPlan, _ source: Source,
        _ container: Container, _ notes: inout PlanNotes
    ) -> VideoPlan {
        let sourceRate = FrameRateChoice.of(source.video, source.sample)
        let rate = request.frameRate ?? sourceRate.rate
        notes.decide(
            "frame rate",
            request.frameRate.map { "\($0)" } ?? (sourceRate.isSteady ? "\(rate)" : "variable, about \(rate)"),
            because: request.frameRate == nil ? "every frame keeps its time" : "asked for")
        let interval = request.keyFrameInterval ?? KeyFrameInterval(seconds: 5)
        notes.decide(
            "key frames", "at most \(interval.frameCount(at: rate)) frames apart",
            because: request.keyFrameInterval == nil ? "5 s, the default" : "\(interval) was asked for")
        let timeBase = request.frameRate.map(\.reciprocal) ?? source.video.timeBase
        let isSteady = request.frameRate != nil || sourceRate.isSteady
        return VideoPlan(
            source: source.video, device: device.matrix.device, deviceName: device.matrix.deviceName,
            usesHardware: device.matrix.isHardware, decoder: DecoderConfiguration(stream: source.video),
            filter: filter(picture, source, sourceRate.rate, timeBase, &notes),
            encoder: encoder(
                device.codec, picture, source, container, rate, timeBase, interval.frameCount(at: rate), &notes),
            steadyRate: isSteady ? rate : nil, keyFrameSeconds: isSteady ? nil : interval.seconds,
            displayMatrix: picture.displayMatrix,
            expectedFrames: clock.expectedSeconds.map { Int(($0 * rate.value).rounded()) })
    }

    private func filter(
        _ picture: PictureChoice, _ source: Source, _ sourceRate: Rational, _ timeBase: Rational,
        _ notes: inout PlanNotes
    ) -> FilterConfiguration {
        let deinterlacing: FilterConfiguration.Deinterlacing =
            switch request.deinterlace {
            case .auto: .flaggedFrames
            case .on: .everyFrame
            case .off: .never
            }
        if source.sample.shape.isInterlaced || request.deinterlace == .on {
            notes.decide(
                "interlacing", deinterlacing == .never ? "left alone" : "deinterlaced",
                because: request.deinterlace == .auto ? "the frames say that they are interlaced" : "asked for")
        }
        var filter = FilterConfiguration(
            size: picture.size, pixelFormat: picture.pixelFormat, color: picture.range.color, scaling: request.scaling,
            isSquare: picture.isSquare, deinterlacing: deinterlacing, orientation: picture.orientation,
            frameRate: request.frameRate, sourceFrameRate: sourceRate, timeBase: timeBase)
        filter.sourceAspectRatio = source.video.sampleAspectRatio
        filter.toneMapping = picture.range.toneMapping
        return filter
    }

    private func encoder(
        _ codec: VideoCodec, _ picture: PictureChoice, _ source: Source, _ container: Container, _ rate: Rational,
        _ timeBase: Rational, _ interval: Int, _ notes: inout PlanNotes
    ) -> EncoderConfiguration {
        EncoderConfiguration(
            codec: codec, profile: picture.profile, size: picture.size, pixelFormat: picture.pixelFormat,
            timeBase: timeBase, frameRate: rate, sampleAspectRatio: picture.sampleAspectRatio,
            color: picture.range.color, hdrMetadata: picture.range.metadata,
            rateControl: RateChoice.choose(request, source, codec, &notes),
            preset: request.preset, maxKeyFrameInterval: interval,
            allowsFrameReordering: request.allowsBFrames && picture.profile.allowsBFrames,
            usesGlobalHeader: Muxer.wantsGlobalHeader(format: ContainerRules.of(container).format))
    }

    /// Things in the source that no encoder here writes.
    private func noteLosses(
        _ source: Source, _ capability: EncoderCapability, _ range: DynamicRangeChoice, _ notes: inout PlanNotes
    ) {
        if range.toneMapping == nil { noteHDRLosses(source, capability, &notes) }
        let kinds = source.extraDataKinds
        if !capability.keepsCaptions, kinds.contains(where: { $0.contains("A53") || $0.contains("ATSC") }) {
            notes.downgrade("captions", "closed captions in the video are lost: this encoder cannot write them")
        }
    }

    private func noteHDRLosses(_ source: Source, _ capability: EncoderCapability, _ notes: inout PlanNotes) {
        let kinds = source.extraDataKinds
        if kinds.contains(where: \.isHDR10Plus) {
            notes.downgrade("hdr10plus", "HDR10+ metadata of each scene is lost; HDR10's static metadata is kept")
        }
        if kinds.contains(where: \.isDolbyVision) {
            notes.downgrade("dolbyVision", "Dolby Vision metadata is lost; the base layer is kept")
        }
        if !capability.keepsHDRMetadata, !source.sample.hdrMetadata.isEmpty {
            notes.downgrade(
                "hdrMetadata",
                "HDR10 metadata goes into the container only: this encoder cannot write it into the stream")
        }
    }
}

/// A plan with all it takes to carry it out.
package struct PreparedTranscode: Sendable {
    package var plan: TranscodePlan
    package var source: Source
    package var sessions: StageSessions
}

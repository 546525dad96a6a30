import VTXFFmpeg
import VTXMedia
package import VTXSession
package import VTXTask

/// A plan with the open codecs for running it once.
package struct PreparedTranscode: Sendable {
    package var plan: TranscodePlan
    package var source: Source
    /// nil if the video is copied.
    package var encoding: PreparedEncoding?
    /// The other renditions of a ladder, each made from the frames of the previous one.
    package var lower: [PreparedEncoding] = []

    /// Closes the codecs before another run: not every encoder (SVT-AV1) can be open twice.
    mutating func close() { (encoding, lower) = (nil, []) }
}

/// The encoding of the video, with its open stages.
package struct PreparedEncoding: Sendable {
    package var plan: VideoEncoding
    package var stages: OpenedStages
    /// The stages of the lanes after the first if GPUs encode. Software lanes open theirs as segments arrive.
    var otherLanes: [OpenedStages] = []

    init(plan: VideoEncoding, stages: OpenedStages) { (self.plan, self.stages) = (plan, stages) }

    /// The devices of each stage, those that took over last.
    var stageDevices: [String: [String]] {
        let lanes = [stages] + otherLanes
        return Dictionary(
            uniqueKeysWithValues: VideoStage.allCases.map { stage in
                let planned = lanes.map { $0.sessions[stage].capabilities.deviceName }
                let all = planned + stages.recoveries.successors(at: stage)
                return (stage.rawValue, all.indices.filter { !all[..<$0].contains(all[$0]) }.map { all[$0] })
            })
    }

    func stages(of lane: Int, _ stream: InputStream) throws(SessionError) -> OpenedStages {
        if lane == 0 { return stages }
        return otherLanes.isEmpty ? try stages.another(plan, stream) : otherLanes[lane - 1]
    }
}

/// The open codecs and filter of a transcode, which are also those that run.
package struct OpenedStages: Sendable {
    let sessions: StageSessions
    let decoder: any VideoDecoder
    let filter: any VideoFilter
    let encoder: any VideoEncoder
    /// The replacements in these stages.
    let recoveries: RecoveryLog
}

/// Opens the source, plans, and opens what the plan needs, each codec once.
///
/// A GPU that does not open for the job is excluded from the next plan; software is the last resort.
package struct TranscodePreparation {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]
    private let failures: HardwareFailures
    private let queueDepth: Int
    /// Standard input, if it is the source.
    private let piped: PipedInput?
    private let recoveries = RecoveryLog()

    /// Enough to let the threads on both sides sleep for several frames, and few enough for the smallest GPU.
    private static let queueDepth = 4

    /// - Parameter driverFailures: Those of earlier processes with this job.
    package init(_ request: TranscodeRequest, backends: [any VideoBackend], after driverFailures: [DriverFailure] = [])
    {
        self.init(request, backends: backends, after: HardwareFailures(driverFailures))
    }

    /// - Parameter failures: The GPU failures of earlier attempts.
    init(
        _ request: TranscodeRequest, backends: [any VideoBackend], after failures: HardwareFailures,
        from piped: PipedInput? = nil, queueDepth: Int = TranscodePreparation.queueDepth
    ) {
        (self.request, self.backends, self.failures) = (request, backends, failures)
        (self.queueDepth, self.piped) = (queueDepth, piped)
    }

    package func prepare() throws(TranscodeError) -> PreparedTranscode {
        let source = try open()
        return request.copiesVideo ? try prepareCopy(of: source) : try prepareEncoding(of: source)
    }

    /// Opens the source, and the files that are joined and added to it.
    func open() throws(TranscodeError) -> Source {
        let source = try openSource()
        for path in request.appended { try source.append(path) }
        try source.add(request.additions)
        return source
    }

    private func openSource() throws(TranscodeError) -> Source {
        let (position, rate) = (request.selection.video, request.inputFrameRate)
        guard let piped else {
            return try SourceInspector.open(request.input, videoPosition: position, frameRate: rate)
        }
        // A driver that crashes when it is asked costs nothing as long as nothing has been read.
        if !request.copiesVideo { _ = DeviceCandidate.all(from: backends, allowsHardware: request.hardware != .off) }
        return try SourceInspector.open(piped, videoPosition: position, frameRate: rate)
    }

    private func prepareCopy(of source: Source) throws(TranscodeError) -> PreparedTranscode {
        var plan = try CopyPlanner(request, source).plan()
        if !source.isJoined { plan.ffmpegCommand = FFmpegCommand(plan, request, source).arguments }
        return PreparedTranscode(plan: plan, source: source)
    }

    private func prepareEncoding(of source: Source) throws(TranscodeError) -> PreparedTranscode {
        let devices = TranscodeDevices(backends)
        var refused = failures.beforeFirstPacket.compactMap(DeviceOpenFailure.init)
        var decoding: OpenedDecoder?
        while true {
            var notes = PlanNotes(after: refused, failures)
            let device = try DeviceChoice.choose(
                request, from: backends, without: refused, after: failures,
                keepsHDR: source.shownColor.isHDR && request.dynamicRange != .sdr && request.filters == nil, &notes)
            do { _ = try devices.session(on: device.encoder) } catch {
                refused.append(try refusal(error, of: device))
                continue
            }
            let opened = try decoder(for: device, source, devices, opened: decoding)
            decoding = opened
            try lookForBars(in: source, devices)
            switch try prepare(source, device, opened, devices, notes) {
            case .success(let prepared): return prepared
            case .failure(let refusal): refused.append(refusal)
            }
        }
    }

    /// Searches for black bars once, when the size of the frames is known.
    private func lookForBars(in source: Source, _ devices: TranscodeDevices) throws(TranscodeError) {
        guard request.crop == .auto, source.bars == nil else { return }
        source.note(try BlackBarSearch.find(request, source, devices.software()))
    }

    private func refusal(_ error: SessionError, of device: DeviceChoice) throws(TranscodeError) -> DeviceOpenFailure {
        if let refusal = device.refusal(Message(error.message)) { return refusal }
        throw TranscodeError(.hardwareOpen, "\(device.matrix.deviceName): \(error.message)")
    }

    /// Returns the decoder. Another device for encoding may mean another GPU for decoding.
    private func decoder(
        for device: DeviceChoice, _ source: Source, _ devices: TranscodeDevices, opened: OpenedDecoder?
    ) throws(TranscodeError) -> OpenedDecoder {
        if let opened, opened.gpu == device.gpu?.matrix.device { return opened }
        return try decoders(source).open(on: device.gpu, devices)
    }

    private func decoders(_ source: Source) -> DecoderOpener {
        DecoderOpener(
            source: source, failures: failures, policy: request.hardware, allowsFallback: allowsFallback,
            recoveries: recoveries)
    }

    /// Whether software may take over in mid-file.
    private var allowsFallback: Bool { request.hardware == .auto && !request.forbidsFallbacks }

    private func prepare(
        _ source: Source, _ device: DeviceChoice, _ decoding: OpenedDecoder, _ devices: TranscodeDevices,
        _ notes: PlanNotes
    ) throws(TranscodeError) -> Result<PreparedTranscode, DeviceOpenFailure> {
        var notes = notes
        let planned = try Planner(request, source, device, after: failures).plan(&notes)
        switch planned {
        case .failure(let refusal): return .failure(refusal)
        case .success((let plan, let encoding)):
            return try open(plan, encoding, source, device, decoding, devices, notes)
        }
    }

    private func open(
        _ plan: TranscodePlan, _ encoding: VideoEncoding, _ source: Source, _ device: DeviceChoice,
        _ decoding: OpenedDecoder, _ devices: TranscodeDevices, _ notes: PlanNotes
    ) throws(TranscodeError) -> Result<PreparedTranscode, DeviceOpenFailure> {
        var notes = notes
        let opener = self.opener(of: encoding, source, device, decoding, seconds: plan.timestamps.expectedSeconds)
        let lanes = LaneOpener(stages: opener, decoders: decoders(source), backends: backends)
        switch try lanes.open(after: opener.open(devices, &notes), &notes) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let opened):
            let isCut = encoding.isCut || request.segmentedWork != nil
            let stages = isCut ? opened[0].renewed(source.video) : opened[0]
            var first = PreparedEncoding(plan: encoding, stages: stages)
            first.otherLanes = Array(opened.dropFirst())
            // A GPU's parameter sets contain the quantizer.
            let haveQuantizers = !encoding.segmentQualities.isEmpty && device.matrix.isHardware
            first.plan.repeatsParameterSets = encoding.encoder.usesGlobalHeader && (opened.differ || haveQuantizers)
            switch try openLower(plan, of: first, opener, devices, &notes) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let lower): return .success(try complete(plan, first, lower, source, notes))
            }
        }
    }

    private func opener(
        of encoding: VideoEncoding, _ source: Source, _ device: DeviceChoice, _ decoding: OpenedDecoder,
        seconds: Double?
    ) -> StageOpener {
        StageOpener(
            encoding: encoding, device: device, decoding: decoding, shape: source.sample.shape, failures: failures,
            policy: request.hardware, allowsFallback: allowsFallback,
            queueDepth: device.isShortOfMemory(after: failures) ? 1 : queueDepth, seconds: seconds,
            recoveries: recoveries,
            // Nothing that comes by a pipe comes a second time.
            recoversStart: request.usesPipe, secondPass: request.pass?.number == .second ? request : nil)
    }

    /// Opens the other renditions of a ladder.
    private func openLower(
        _ plan: TranscodePlan, of first: PreparedEncoding, _ opener: StageOpener, _ devices: TranscodeDevices,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<[PreparedEncoding], DeviceOpenFailure> {
        var lower: [PreparedEncoding] = []
        for rendition in plan.ladder?.lower ?? [] {
            switch try opener.lower(rendition, of: lower.last ?? first).open(devices, &notes) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let stages): lower.append(PreparedEncoding(plan: rendition, stages: stages))
            }
        }
        return .success(lower)
    }

    private func complete(
        _ plan: TranscodePlan, _ encoding: PreparedEncoding, _ lower: [PreparedEncoding], _ source: Source,
        _ notes: PlanNotes
    ) throws(TranscodeError) -> PreparedTranscode {
        var (plan, encoding) = (plan, encoding)
        let sessions = encoding.stages.sessions
        // A process that only joins segments uses no driver.
        encoding.plan.usesHardware = sessions.usesHardware && !(request.segmentedWork?.isJoin ?? false)
        plan.video.encoding = encoding.plan
        (plan.decisions, plan.notices) = (notes.decisions, notes.notices(after: failures))
        // The command has no short way to say a ladder, nor files that follow each other.
        if plan.ladder == nil, !source.isJoined {
            plan.ffmpegCommand = FFmpegCommand(plan, request, source, encoding).arguments
        }
        try Planner.check(plan.notices, against: request)
        try Planner.checkHardware(sessions.encoding.capabilities, of: plan, against: request)
        return PreparedTranscode(plan: plan, source: source, encoding: encoding, lower: lower)
    }
}

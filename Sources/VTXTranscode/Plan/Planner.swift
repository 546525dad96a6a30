import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Inspects the source and the devices' capabilities, and makes all decisions before the first frame. Opens nothing.
struct Planner {
    private let request: TranscodeRequest
    private let source: Source
    private let device: DeviceChoice
    private let failures: HardwareFailures

    /// - Parameter failures: The GPU failures of earlier attempts.
    init(
        _ request: TranscodeRequest, _ source: Source, _ device: DeviceChoice,
        after failures: HardwareFailures = HardwareFailures()
    ) {
        self.request = request.withRenditions
        self.source = source
        self.device = device
        self.failures = failures
    }

    /// - Returns: the plan, without what is known only after opening, or that the chosen device does not support it.
    func plan(
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<(TranscodePlan, VideoEncoding), DeviceOpenFailure> {
        try source.checkColors()
        let output = try OutputChoice.choose(request, .encoded(device.codec), &notes)
        let range = OutputRangeChoice.choose(request, source, output.container, &notes)
        let ladder = try LadderChoice.choose(request, source, device.codec, range, &notes)
        let request = ladder?.first ?? request
        let picture = try PictureChoice.choose(request, source, device.codec, output.container, range, &notes)
        let choice = VideoChoice(request, source, device, picture, output.container)
        var encoding = encoding(choice, seconds: range.expectedSeconds, &notes)
        DynamicMetadataChoice(request, source, picture, output.container).apply(to: &encoding, &notes)
        let ladderPlan = ladder?.plan(&encoding, &notes)
        do {
            for encoding in [encoding] + (ladderPlan?.lower ?? []) { try device.check(encoding.encoder) }
        } catch {
            guard let refusal = device.refusal(error.message) else { throw error }
            return .failure(refusal)
        }
        device.row(for: encoding.encoder)?.noteLosses(
            of: source, keepsHDR10Plus: encoding.keepsHDR10Plus, picture.dynamicRange, output.container, &notes)
        let video = choice.plan(encoding, range, &notes)
        var plan = try TranscodePlan(video, request, source, output, range, &notes)
        plan.ladder = ladderPlan
        return .success((plan, encoding))
    }

    private func encoding(_ choice: VideoChoice, seconds: Double?, _ notes: inout PlanNotes) -> VideoEncoding {
        var encoding = choice.encoding(&notes)
        if !device.matrix.isHardware, let option = request.hardwareEncoder.options.first {
            notes.note(.hardwareOptions, "\(option: option) has no effect: software encodes")
        }
        let parallel = ParallelChoice.choose(request, encoding, source, device, seconds: seconds, &notes)
        encoding.apply(parallel, on: device.all)
        let segments = SegmentChoice.choose(request, encoding, source, seconds: seconds, &notes)
        encoding.apply(segments, mayUseHardware: request.hardware != .off)
        encoding.apply(request.segmentQualities)
        if device.isShortOfMemory(after: failures) {
            encoding.encoder.hardware.asyncDepth = 1
            notes.note(.hardwareMemory, "the GPU ran out of memory; fewer frames are processed at once")
        }
        return encoding
    }
}

extension Source {
    /// - Throws: for profile 5 of Dolby Vision. Its samples are not YCbCr but IPT with PQ, which looks green and purple
    ///   if the metadata is lost.
    fileprivate func checkColors() throws(TranscodeError) {
        guard video.dolbyVision?.profile == 5 else { return }
        throw TranscodeError(
            .inputDolbyVision,
            "'\(path)' is Dolby Vision of profile 5: without its metadata, which no encoder here keeps, its colors are wrong",
            hint: "\(option: .copyVideo) keeps the video as it is")
    }
}

extension TranscodeRequest {
    /// The files that the output must not overwrite.
    fileprivate var protectedFiles: [String] {
        writesPipe ? [] : sourceFiles.filter { !replacesSource || $0 != input }
    }
}

extension TranscodePlan {
    /// Plans everything besides the video, which has been decided.
    init(
        _ video: VideoPlan, _ request: TranscodeRequest, _ source: Source, _ output: OutputChoice,
        _ range: OutputRange, _ notes: inout PlanNotes
    ) throws(TranscodeError) {
        for path in request.protectedFiles {
            try reportingOutputErrors { () throws(AtomicFileError) in
                try AtomicFile.checkDistinct(source: path, output: output.path)
            }
        }
        let streams = try StreamChoice.choose(request, source, output.container, &notes)
        if let crop = video.encoding?.filter.crop { Self.notePlaces(of: streams, in: crop, &notes) }
        let chapters = MetadataChoice.chapters(request, source, output.container, range, &notes)
        let metadata = MetadataChoice.metadata(request, source, output.container, streams, &notes)
        self.init(
            input: request.input, output: output.path, container: output.container,
            isFragmented: output.isFragmented, video: video, streams: streams,
            timestamps: range,
            chapters: chapters,
            metadata: metadata.map { $0.moved(by: range, video.source) },
            decisions: notes.decisions, notices: notes.notices, ffmpegCommand: [])
    }

    /// Notes that bitmap subtitles are positioned in the source's frame. Text subtitles adapt to any frame.
    private static func notePlaces(of streams: [StreamPlan], in crop: PictureCrop, _ notes: inout PlanNotes) {
        for stream in streams where stream.action == .copy && SubtitleDrawing.bitmaps.contains(stream.source.codecName)
        {
            notes.note(
                .subtitlePosition,
                "\(stream.source.label) is positioned for \(crop.whole), before cropping: some players will misplace "
                    + "it")
        }
    }
}

// Notices that the request turns into errors.
extension Planner {
    /// - Throws: for the first notice of a kind that the request does not allow.
    static func check(_ notices: [Notice], against request: TranscodeRequest) throws(TranscodeError) {
        if request.forbidsDowngrades {
            try forbid(
                notices.filter { $0.category == .downgrade },
                hint: "\(option: .failOnDowngrade) forbids this; the plan lists them all")
        }
        if request.forbidsFallbacks {
            try forbid(notices.filter(\.isSoftwareInPlaceOfHardware), hint: .forbiddenFallback)
        }
    }

    /// If no GPU encodes the codec, there is no fallback to report, yet software does what was requested of a GPU.
    static func checkHardware(
        _ encoder: CapabilityMatrix, of plan: TranscodePlan, against request: TranscodeRequest
    ) throws(TranscodeError) {
        guard request.forbidsFallbacks, !encoder.isHardware else { return }
        let reason = plan.decisions.first { $0.subject == "device" }?.reason
        throw TranscodeError(
            forbidding: Notice(
                .fallbackDevice,
                "no hardware encoder, and software fallback is not allowed: \(reason ?? "there is no GPU")"),
            hint: .forbiddenFallback)
    }

    private static func forbid(_ notices: [Notice], hint: Message) throws(TranscodeError) {
        guard var first = notices.first else { return }
        if notices.count > 1 { first.message += " (and \(notices.count - 1) more)" }
        throw TranscodeError(forbidding: first, hint: hint)
    }
}

extension Notice {
    /// Whether software replaces hardware. Another rate control is also a fallback, but on the GPU.
    fileprivate var isSoftwareInPlaceOfHardware: Bool { category == .fallback && kind != .fallbackRateControl }
}

/// The notes that the planner takes.
struct PlanNotes {
    var decisions: [Decision] = []
    var notices: [Notice] = []

    /// - Parameters:
    ///   - refused: The devices already tried for this job.
    ///   - failures: Those of earlier attempts.
    init(after refused: [DeviceOpenFailure] = [], _ failures: HardwareFailures = HardwareFailures()) {
        notices = refused.map(\.notice)
        // A GPU that is lost fails at several stages: the first of them says why.
        for (index, failure) in failures.midStream.enumerated()
        where !failures.midStream[..<index].contains(where: { $0.device == failure.device }) {
            note(
                .fallbackFault, "\(failure.deviceName) failed: \(failure.message); the job continues without it")
        }
        if let failure = failures.driverFailures.reported { notices.append(failure.notice) }
    }

    mutating func decide(_ subject: String, _ choice: String, because reason: Message) {
        decisions.append(Decision(subject, choice, because: reason))
    }

    mutating func note(_ kind: NoticeKind, _ message: Message) { notices.append(Notice(kind, message)) }

    /// Returns the notices of the opened stages. That of a lost stage is left out if another one says that software
    /// does it.
    func notices(after failures: HardwareFailures) -> [Notice] {
        guard let loss = failures.driverFailures.reported, let stage = loss.stage,
            notices.contains(loss.noticeOfSoftware(at: stage))
        else { return notices }
        return notices.filter { $0 != loss.notice }
    }
}

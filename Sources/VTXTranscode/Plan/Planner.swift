import VTXFFmpeg
import VTXMedia
package import VTXSession
import VTXSystem
package import VTXTask

/// Looks at the source and the devices, and decides everything before the first frame.
package struct Planner {
    private let request: TranscodeRequest
    private let backends: [any VideoBackend]
    private let faults: HardwareFailures
    private let queueDepth: Int

    /// Enough for the threads on both sides to sleep while several frames pass, and few on the smallest GPU.
    private static let queueDepth = 4

    package init(_ request: TranscodeRequest, backends: [any VideoBackend]) {
        self.init(request, backends: backends, after: HardwareFailures())
    }

    /// - Parameter faults: what GPUs have failed at on earlier attempts.
    init(
        _ request: TranscodeRequest, backends: [any VideoBackend], after faults: HardwareFailures,
        queueDepth: Int = Planner.queueDepth
    ) {
        self.request = request
        self.backends = backends
        self.faults = faults
        self.queueDepth = queueDepth
    }

    /// - Returns: the plan, the session that it was made for, and the opened source.
    package func plan() throws(TranscodeError) -> PreparedTranscode {
        let source = try SourceInspector.open(
            request.input, videoPosition: request.selection.video, frameRate: request.inputFrameRate)
        return try plan(for: source)
    }

    /// Walks down: a GPU that refuses the job is left out of the next try, and the software refuses nothing.
    private func plan(for source: Source) throws(TranscodeError) -> PreparedTranscode {
        var refused = faults.beforeFirstPacket.compactMap(DeviceOpenFailure.init)
        while true {
            switch try attempt(source, without: refused) {
            case .success(let prepared): return prepared
            case .failure(let refusal): refused.append(refusal)
            }
        }
    }

    private func attempt(
        _ source: Source, without refused: [DeviceOpenFailure]
    ) throws(TranscodeError) -> Result<PreparedTranscode, DeviceOpenFailure> {
        var notes = PlanNotes(after: refused, faults.midStream, request.hardwareFault)
        let device = try DeviceChoice.choose(request, from: backends, without: refused, after: faults, &notes)
        let output = try OutputChoice.choose(request, codec: device.codec, &notes)
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: request.input, output: output.path)
        }
        let picture = try PictureChoice.choose(request, source, device.codec, output.container, &notes)
        let clock = TimestampOffsetChoice.choose(request, source, output.container, &notes)
        var video = VideoChoice(request, source, device, picture, output.container).plan(clock, &notes)
        video.encoder.failedModes = faults.failedModes(of: device.matrix.device)
        if device.isShortOfMemory(after: faults) {
            video.encoder.hardware.asyncDepth = 1
            notes.note(.hardwareMemory, "the GPU ran out of memory: fewer frames are under way at one time")
        }
        switch try open(device, for: video, source, &notes) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let sessions):
            device.row(for: video.encoder)?.noteLosses(of: source, picture.range, output.container, &notes)
            return .success(try complete(video, source, output, clock, sessions, notes))
        }
    }

    private func open(
        _ device: DeviceChoice, for video: VideoPlan, _ source: Source, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<StageSessions, DeviceOpenFailure> {
        do { try device.check(video.encoder) } catch {
            guard let refusal = device.refusal(error.message) else { throw error }
            return .failure(refusal)
        }
        let depth = device.isShortOfMemory(after: faults) ? 1 : queueDepth
        let assignment = DeviceAssignment(backends, device, after: faults, request.hardware, queueDepth: depth)
        return try assignment.assign(video, source.video, source.sample.shape, &notes)
    }

    /// Everything beside the picture.
    private func complete(
        _ video: VideoPlan, _ source: Source, _ output: OutputChoice, _ clock: TimestampOffset,
        _ sessions: StageSessions,
        _ notes: PlanNotes
    ) throws(TranscodeError) -> PreparedTranscode {
        var (video, notes) = (video, notes)
        video.usesHardware = sessions.usesHardware
        let streams = try StreamChoice.choose(request, source, output.container, &notes)
        let chapters = MetadataChoice.chapters(request, source, output.container, clock, &notes)
        let metadata = MetadataChoice.metadata(request, source, output.container, streams, &notes)
        var plan = TranscodePlan(
            input: request.input, output: output.path, container: output.container,
            isFragmented: request.isFragmented, video: video, streams: streams, timestamps: clock, chapters: chapters,
            metadata: metadata, decisions: notes.decisions, notices: notes.notices, ffmpegCommand: [])
        plan.ffmpegCommand = FFmpegCommand.arguments(for: plan, request, source, sessions)
        try Self.check(plan.notices, against: request)
        try Self.check(sessions, of: plan, against: request)
        return PreparedTranscode(plan: plan, source: source, sessions: sessions)
    }
}

/// A plan with all it takes to carry it out.
package struct PreparedTranscode: Sendable {
    package var plan: TranscodePlan
    package var source: Source
    package var sessions: StageSessions
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Looks at the source and at what the devices can do, and decides everything before the first frame. It opens nothing.
struct Planner {
    private let request: TranscodeRequest
    private let source: Source
    private let device: DeviceChoice
    private let faults: HardwareFailures

    /// - Parameter faults: what GPUs have failed at on earlier attempts.
    init(
        _ request: TranscodeRequest, _ source: Source, _ device: DeviceChoice,
        after faults: HardwareFailures = HardwareFailures()
    ) {
        self.request = request
        self.source = source
        self.device = device
        self.faults = faults
    }

    /// - Returns: the plan without what only opening can tell, or that the chosen device does not encode this.
    func plan(_ notes: inout PlanNotes) throws(TranscodeError) -> Result<TranscodePlan, DeviceOpenFailure> {
        let output = try OutputChoice.choose(request, codec: device.codec, &notes)
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: request.input, output: output.path)
        }
        let picture = try PictureChoice.choose(request, source, device.codec, output.container, &notes)
        let clock = TimestampOffsetChoice.choose(request, source, output.container, &notes)
        let video = video(picture, output, clock, &notes)
        do { try device.check(video.encoder) } catch {
            guard let refusal = device.refusal(error.message) else { throw error }
            return .failure(refusal)
        }
        device.row(for: video.encoder)?.noteLosses(of: source, picture.range, output.container, &notes)
        return .success(try complete(video, output, clock, &notes))
    }

    private func video(
        _ picture: PictureChoice, _ output: OutputChoice, _ clock: TimestampOffset, _ notes: inout PlanNotes
    ) -> VideoPlan {
        var video = VideoChoice(request, source, device, picture, output.container).plan(clock, &notes)
        video.encoder.failedModes = faults.failedModes(of: device.matrix.device)
        if device.isShortOfMemory(after: faults) {
            video.encoder.hardware.asyncDepth = 1
            notes.note(.hardwareMemory, "the GPU ran out of memory: fewer frames are under way at one time")
        }
        return video
    }

    /// Everything beside the picture.
    private func complete(
        _ video: VideoPlan, _ output: OutputChoice, _ clock: TimestampOffset, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> TranscodePlan {
        let streams = try StreamChoice.choose(request, source, output.container, &notes)
        let chapters = MetadataChoice.chapters(request, source, output.container, clock, &notes)
        let metadata = MetadataChoice.metadata(request, source, output.container, streams, &notes)
        return TranscodePlan(
            input: request.input, output: output.path, container: output.container,
            isFragmented: request.isFragmented, video: video, streams: streams, timestamps: clock, chapters: chapters,
            metadata: metadata, decisions: notes.decisions, notices: notes.notices, ffmpegCommand: [])
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Encodes the frames of a segment.
struct EncodeStage: Sendable {
    let encoder: any VideoEncoder
    let plan: TranscodePlan
    let encoding: VideoEncoding
    /// The stream's index in the output.
    let stream: Int
    let segment: Segment
    let input: BoundedQueue<Frame>
    let output: any SegmentConsumer
    let ledger: OutputLedger
    /// The end of an earlier run; nil for the beginning.
    var resume: ResumePoint?
    /// nil if no metadata is kept.
    var metadata: DynamicMetadata?

    func run() throws {
        let timeBase = encoding.encoder.timeBase
        var state = State(
            durations: FrameDurations(frameDuration: frameDuration), keyFrames: keyFrameScheduler, samples: collector)
        if resume != nil { try describeStream() }
        if let rate = resume?.rates[stream] { try encoder.resume(after: rate) }
        while let frame = try input.pop() {
            guard let pts = frame.pts else {
                throw TranscodeError(.internal, "a filter gave a frame without a timestamp")
            }
            if let resume, pts <= resume.last.ticks { continue }
            let duration = state.durations.note(pts: pts, duration: frame.duration)
            ledger.noteFrame(pts, seconds: MediaTime(duration, timeBase).seconds, of: segment.number)
            try sampling { () throws(FFmpegError) in try state.samples.add(frame) }
            state.hasFrames = true
            if let own = metadata?.metadata(at: pts) { state.metadata[pts] = own }
            try encoder.send(frame, forcesKeyFrame: state.keyFrames?.mustForce(at: pts) ?? false)
            try passOn(&state)
        }
        try finish(&state)
        let samples = try sampling { () throws(FFmpegError) in try state.samples.finish(isLast: segment.end == nil) }
        ledger.note(samples, of: segment.number)
        if encoder.replacementCount > 0 { ledger.noteReplacedEncoder() }
        try output.finish(segment)
    }

    /// Ends the stream. Not every encoder can end before its first frame.
    private func finish(_ state: inout State) throws {
        guard state.hasFrames else { return try finishEarlierRuns() }
        try encoder.send(nil, forcesKeyFrame: false)
        try passOn(&state)
    }

    /// Outputs what earlier runs have encoded before anything new.
    private func finishEarlierRuns() throws {
        if resume != nil { try push(.advance(to: nil)) }
    }

    /// Opens the stream if a key frame begins it or the encoder has been replaced.
    private func open(_ state: inout State) throws {
        let sets = encoding.encoder.usesGlobalHeader ? encoder.parameters.extradata : []
        guard !state.isOpen || sets != state.parameterSets else { return }
        try describeStream()
        if !state.isOpen { try finishEarlierRuns() }
        (state.isOpen, state.parameterSets) = (true, sets)
        ledger.hasEncoded = true
    }

    private func describeStream() throws {
        try push(.open(stream: stream, StreamDescriptions.encoded(plan, encoding, encoder.parameters)))
    }

    private func push(_ message: OutputMessage, isUrgent: Bool = false) throws {
        try output.push(message, isUrgent: isUrgent, of: segment)
    }

    private struct State {
        var durations: FrameDurations
        var keyFrames: KeyFrameScheduler?
        var samples: SampleCollector
        var hasFrames = false
        var isOpen = false
        /// The parameter sets of the packets so far, if the header contains them.
        var parameterSets: [UInt8] = []
        /// The metadata of the frames in the encoder, by time.
        var metadata: [Int64: PictureMetadata] = [:]
    }

    private var frameDuration: Int64 {
        MediaTime.rescale(1, from: encoding.encoder.frameRate.reciprocal, to: encoding.encoder.timeBase)
    }

    private var collector: SampleCollector {
        SampleCollector(
            encoding.verification, encoding.encoder.size, timeBase: encoding.encoder.timeBase, after: segment.number)
    }

    private var keyFrameScheduler: KeyFrameScheduler? {
        encoding.keyFrameSeconds.map { seconds in
            KeyFrameScheduler(
                interval: MediaTime(seconds: seconds).rescaled(to: encoding.encoder.timeBase).ticks,
                isFixed: encoding.encoder.hasFixedKeyFrames, after: resume?.first.ticks)
        }
    }

    private func passOn(_ state: inout State) throws {
        while case .unit(let packet) = try encoder.receive() {
            if packet.isKeyFrame || !state.isOpen { try open(&state) }
            let signature = try sampling { () throws(FFmpegError) in
                try state.samples.add(packet, seams: encoder.replacementCount)
            }
            if let signature, let pts = packet.pts { ledger.note(signature, at: pts) }
            if let pts = packet.pts { packet.duration = state.durations.take(pts: pts) }
            if packet.isKeyFrame, let pts = packet.pts { state.keyFrames?.noteKeyFrame(at: pts) }
            // A key frame completes the GOP before it, which should soon be in the journal.
            try push(.packet(described(packet, &state), stream: stream), isUrgent: packet.isKeyFrame)
        }
    }

    /// Returns the packet with the metadata of its frame.
    private func described(_ packet: Packet, _ state: inout State) throws -> Packet {
        guard let pts = packet.pts, let own = state.metadata.removeValue(forKey: pts) else { return packet }
        return try packet.adding(own)
    }

    private func sampling<Result>(_ body: () throws(FFmpegError) -> Result) throws(SessionError) -> Result {
        do { return try body() } catch {
            throw SessionError(error, while: "reading a frame for the encoder", else: .hardwareMalfunction)
        }
    }
}

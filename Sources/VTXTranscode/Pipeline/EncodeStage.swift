import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Frames to packets.
struct EncodeStage: Sendable {
    let encoder: any VideoEncoder
    let plan: TranscodePlan
    let stream: Int
    let input: BoundedQueue<Frame>
    let output: BoundedQueue<OutputMessage>
    let ledger: OutputLedger

    func run() throws {
        let timeBase = plan.video.encoder.timeBase
        var state = State(
            durations: FrameDurations(frameDuration: frameDuration), keyFrames: keyFrameScheduler,
            samples: SampleCollector(plan.video.encoder.size, timeBase: timeBase))
        while let frame = try input.pop() {
            guard let pts = frame.pts else {
                throw TranscodeError(.internal, "a filter gave a frame without a timestamp")
            }
            let duration = state.durations.note(pts: pts, duration: frame.duration)
            ledger.noteFrame(pts, seconds: MediaTime(duration, timeBase).seconds)
            try sampling { () throws(FFmpegError) in try state.samples.add(frame) }
            try encoder.send(frame, forcesKeyFrame: state.keyFrames?.mustForce(at: pts) ?? false)
            try passOn(&state)
        }
        try encoder.send(nil, forcesKeyFrame: false)
        try passOn(&state)
        ledger.samples = try sampling { () throws(FFmpegError) in try state.samples.finish() }
        output.finish()
    }

    private struct State {
        var durations: FrameDurations
        var keyFrames: KeyFrameScheduler?
        var samples: SampleCollector
        var isOpen = false
    }

    private var frameDuration: Int64 {
        MediaTime.rescale(1, from: plan.video.encoder.frameRate.reciprocal, to: plan.video.encoder.timeBase)
    }

    private var keyFrameScheduler: KeyFrameScheduler? {
        plan.video.keyFrameSeconds.map { seconds in
            KeyFrameScheduler(interval: MediaTime(seconds: seconds).rescaled(to: plan.video.encoder.timeBase).ticks)
        }
    }

    private func passOn(_ state: inout State) throws {
        while case .unit(let packet) = try encoder.receive() {
            if !state.isOpen {
                let description = StreamDescriptions.video(plan, encoder.parameters)
                try output.push(.open(stream: stream, description))
                state.isOpen = true
                ledger.hasEncoded = true
            }
            ledger.noteEncoded(packet)
            try sampling { () throws(FFmpegError) in try state.samples.add(packet) }
            if let pts = packet.pts { packet.duration = state.durations.take(pts: pts) }
            if packet.isKeyFrame, let pts = packet.pts { state.keyFrames?.noteKeyFrame(at: pts) }
            try output.push(.packet(packet, stream: stream))
        }
    }

    private func sampling<Result>(_ body: () throws(FFmpegError) -> Result) throws(SessionError) -> Result {
        do { return try body() } catch {
            throw SessionError(error, while: "reading a frame that is to be encoded", else: .hardwareMalfunction)
        }
    }
}

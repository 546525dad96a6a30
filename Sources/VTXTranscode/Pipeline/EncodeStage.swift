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
        var state = State(durations: FrameDurations(frameDuration: frameDuration), keyFrames: keyFrameScheduler)
        let timeBase = plan.video.encoder.timeBase
        while let frame = try input.pop() {
            guard let pts = frame.pts else {
                throw TranscodeError(.internalError, "encode.noTime", "a filter gave a frame without a timestamp")
            }
            let duration = state.durations.note(pts: pts, duration: frame.duration)
            ledger.noteFrame(pts, seconds: MediaTime(duration, timeBase).seconds)
            try encoder.send(frame, forcesKeyFrame: state.keyFrames?.mustForce(at: pts) ?? false)
            try passOn(&state)
        }
        try encoder.send(nil, forcesKeyFrame: false)
        try passOn(&state)
        output.finish()
    }

    private struct State {
        var durations: FrameDurations
        var keyFrames: KeyFrameScheduler?
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
            if let pts = packet.pts { packet.duration = state.durations.take(pts: pts) }
            if packet.isKeyFrame, let pts = packet.pts { state.keyFrames?.noteKeyFrame(at: pts) }
            try output.push(.packet(packet, stream: stream))
        }
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Packets to frames; each frame gets its place in time.
struct DecodeStage: Sendable {
    let decoder: any VideoDecoder
    let input: BoundedQueue<Packet>
    let output: any FrameConsumer<Frame>
    let timeline: FrameTimestamps
    let damage: InputErrorReport

    /// Results in a row that are nothing but errors; no decoder holds back so many frames.
    private static let maxConsecutiveErrors = 256
    /// Seconds.
    static let longestFrame = 3600.0
    /// Seconds: no recording pauses for a day.
    static let longestLeap = 86_400.0

    func run() throws {
        var state = State(timeline: timeline)
        while let packet = try input.pop() {
            // Behind the end that was asked for, the demuxer is only let run out.
            if !state.isBehindEnd { try feed(packet, &state) }
        }
        if !state.isBehindEnd { try feed(nil, &state) }
        for _ in 0..<state.timeline.repairs { damage.countRepairedTimestamp() }
        try output.finish()
    }

    private struct State {
        var timeline: FrameTimestamps
        var isBehindEnd = false
        /// The first frame's; the output can say these only once.
        var color: ColorDescription?
        var aspect: Rational?
    }

    private func noteChanges(of frame: Frame, _ state: inout State) {
        let (color, aspect) = (frame.color, frame.sampleAspectRatio)
        if let first = state.color, first != color { damage.noteChange(of: "colours") }
        if let first = state.aspect, first != aspect { damage.noteChange(of: "sample aspect ratio") }
        (state.color, state.aspect) = (state.color ?? color, state.aspect ?? aspect)
    }

    private func feed(_ packet: Packet?, _ state: inout State) throws {
        _ = try tolerating { () throws(SessionError) in try decoder.send(packet) }
        var errors = 0
        while !state.isBehindEnd, errors < Self.maxConsecutiveErrors {
            let output = try tolerating { () throws(SessionError) in try decoder.receive() }
            switch output {
            case .unit(let frame): try pass(frame, &state)
            case .needsInput, .endOfStream: return
            case nil: errors += 1
            }
        }
    }

    /// Bad data costs its frame and nothing else.
    private func tolerating<Result>(_ body: () throws(SessionError) -> Result) throws(SessionError) -> Result? {
        do { return try body() } catch {
            guard error.code == .badData else { throw error }
            damage.countUndecodable()
            return nil
        }
    }

    private func pass(_ frame: Frame, _ state: inout State) throws {
        if frame.isCorrupt { damage.countConcealed() }
        // No picture is shown for so long; a damaged header says so.
        if MediaTime(frame.duration, frame.timeBase).seconds > Self.longestFrame { frame.duration = 0 }
        switch state.timeline.admit(pts: frame.pts, duration: frame.duration) {
        case .skip: return
        case .end: state.isBehindEnd = true
        case .unfillable(let gap):
            let seconds = Int(MediaTime(gap, frame.timeBase).seconds)
            throw TranscodeError(
                .input, "input.gap", "a frame comes \(seconds) s after the one before it; --fps cannot fill such a gap",
                hint: "without --fps every frame keeps its own time")
        case .show(let pts):
            frame.pts = pts
            noteChanges(of: frame, &state)
            try output.push(frame)
        }
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Decodes the packets of a segment.
struct DecodeStage: Sendable {
    let decoder: any VideoDecoder
    let segment: Segment
    let output: any UnitConsumer<Frame>
    let range: OutputRange
    /// The frame duration at the stream's rate, in ticks.
    let frameDuration: Int64
    let damage: InputErrorReport
    /// The end of an earlier run, which has reported problems up to there.
    var resume: ResumePoint?
    /// The frame format before this segment; nil for the first one.
    var before: FrameFormat?
    /// nil if no metadata is kept.
    var metadata: DynamicMetadata?

    func run() throws {
        var state = State(
            frameDuration: max(1, frameDuration), last: segment.start.map { $0 - 1 }, color: before?.color,
            aspect: before?.sampleAspectRatio)
        while let packet = try segment.packets.pop() {
            metadata?.note(packet)
            // After the end of the range, the demuxer is only let run out.
            if !state.isPastEnd { try feed(packet, &state) }
        }
        if !state.isPastEnd {
            try feed(nil, &state)
            try showHeld(&state, until: nil)
            countMissing()
        }
        try output.finish()
    }

    /// Counts missing frames. If decoding begins in mid-file, those before the first key frame do not count.
    private func countMissing() {
        var missing = decoder.missingPictures()
        if range.seekTarget != nil || resume != nil || segment.number > 0 { missing.leadingCount = 0 }
        damage.count(missing)
    }

    private struct State {
        let frameDuration: Int64
        var last: Int64?
        /// The end of the last frame.
        var next: Int64?
        var isPastEnd = false
        /// The last frame before the start of the range, which may still be shown there.
        var held: Frame?
        /// The time of the last frame.
        var seconds: Double?
        /// The color description of the first frame. The output can declare only one.
        var color: ColorDescription?
        var aspect: Rational?
        var size: PixelSize?

        /// Assigns a frame the timestamp of its packet. If the packet has none, or the decoder does not output frames
        /// in order, the frame follows the last one.
        ///
        /// - Parameter origin: The time of a first frame without a timestamp.
        /// - Returns: false if the frame's own timestamp is wrong.
        mutating func place(_ frame: Frame, origin: Int64) -> Bool {
            let own = frame.pts ?? next ?? origin
            let time = last.map { max(own, $0 + 1) } ?? own
            frame.pts = time
            last = time
            seconds = frame.presentationTime?.seconds
            next = time + (frame.duration > 0 ? frame.duration : frameDuration)
            return time == own
        }
    }

    private func feed(_ packet: Packet?, _ state: inout State) throws {
        do throws(SessionError) { try decoder.send(packet) } catch {
            // Bad data costs its frame and nothing else.
            guard error.code == .badData else { throw error }
            noteUndecodable(state)
        }
        while !state.isPastEnd, case .unit(let frame) = try decoder.receive(onDamage: { _ in noteUndecodable(state) }) {
            try pass(frame, &state)
        }
    }

    private func noteUndecodable(_ state: State) {
        if isNew(state) { damage.countUndecodable() }
    }

    private func pass(_ frame: Frame, _ state: inout State) throws {
        let origin = -range.offset.rescaled(to: frame.timeBase).ticks
        let isInPlace = state.place(frame, origin: origin)
        let shared = frame.packetNumber.flatMap(SharedPicture.init)
        if isNew(state) {
            if frame.isCorrupt, shared != .shown { damage.countConcealed() }
            if !isInPlace, shared != .judged { damage.countInvalidTimestamps(1) }
        }
        if shared == .judged { return }
        guard let time = frame.presentationTime else { return }
        guard range.hasBegun(at: time) else { return hold(frame, &state) }
        try showHeld(&state, until: time)
        state.isPastEnd = range.isOver(at: time)
        if !state.isPastEnd { try push(frame, &state) }
    }

    /// Outputs a frame. One that is shown for long ends with the range.
    private func push(_ frame: Frame, _ state: inout State) throws {
        if frame.duration >= 2 * state.frameDuration, let time = frame.presentationTime,
            let end = range.ticks(range.end, time)
        {
            frame.duration = min(frame.duration, end - time.ticks)
        }
        noteChanges(of: frame, &state)
        try output.push(frame)
    }

    private func hold(_ frame: Frame, _ state: inout State) {
        if segment.start == nil, resume == nil { state.held = frame }
    }

    /// Begins the output with the frame that is shown at the start of the range, if that is far from the next one.
    ///
    /// - Parameter next: The time of the next frame; nil at the end of the source.
    private func showHeld(_ state: inout State, until next: MediaTime?) throws {
        guard let frame = state.held.take(), let time = frame.presentationTime,
            let start = range.ticks(range.start, time)
        else { return }
        let end = next?.rescaled(to: time.timeBase).ticks ?? time.ticks + max(frame.duration, state.frameDuration)
        guard end - start >= (next == nil ? 1 : 2 * state.frameDuration) else { return }
        frame.setTimes(pts: start, duration: end - start, timeBase: time.timeBase)
        try push(frame, &state)
    }

    /// Whether an event is new compared with an earlier run.
    private func isNew(_ state: State) -> Bool {
        guard let resume, !resume.sawDamage else { return true }
        return state.seconds.map { $0 > resume.last.seconds } ?? false
    }

    private func noteChanges(of frame: Frame, _ state: inout State) {
        let (color, aspect) = (frame.color, frame.sampleAspectRatio)
        if let first = state.color, first != color { damage.noteChange(of: "colors") }
        if let first = state.aspect, first != aspect { damage.noteChange(of: "sample aspect ratio") }
        if let first = state.size, first != frame.size { damage.noteChange(of: "size") }
        (state.color, state.aspect) = (state.color ?? color, state.aspect ?? aspect)
        state.size = state.size ?? frame.size
    }
}

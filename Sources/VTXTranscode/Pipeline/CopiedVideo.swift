import VTXFFmpeg
import VTXMedia
import VTXTask

/// Which packets of a video that is copied are in the output: each of them with all that it refers to.
struct CopiedVideo {
    private let plan: TranscodePlan
    private var hasBegun = false
    /// The latest frame so far, in the order in which they are shown.
    private var last: MediaTime?
    /// When that one is no longer shown.
    private var end: MediaTime?
    private(set) var hasEnded = false

    init(_ plan: TranscodePlan) { self.plan = plan }

    /// It is given every packet in turn.
    ///
    /// - Throws: `input.noTimestamps`.
    mutating func admits(_ packet: Packet) throws(TranscodeError) -> Bool {
        guard let time = packet.presentationTime else {
            throw .noTimestamps(plan.input, stream: plan.video.source.index)
        }
        let range = plan.timestamps
        // A frame that is decoded after the first key frame and shown before it refers to what is left out.
        guard packet.isHidden && range.start == nil || range.hasBegun(at: time) else { return false }
        hasBegun = hasBegun || packet.isKeyFrame
        guard hasBegun, !isBeyond(time) else { return false }
        note(time, duration: packet.duration)
        return true
    }

    /// What is shown before the end may refer to what is shown after it, so the output ends with the first frame that
    /// is followed by none that is shown earlier.
    private mutating func isBeyond(_ time: MediaTime) -> Bool {
        if let last, let end, time.ticks > last.ticks, plan.timestamps.isOver(at: end) { hasEnded = true }
        return hasEnded
    }

    private mutating func note(_ time: MediaTime, duration: Int64) {
        guard time.ticks > last?.ticks ?? .min else { return }
        last = time
        end = MediaTime(time.ticks + duration, time.timeBase)
    }
}

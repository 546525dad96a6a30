import VTXFFmpeg
import VTXMedia
import VTXTask

/// Selects the packets of copied video for the output: each one together with everything it refers to.
struct CopiedVideo {
    private let plan: TranscodePlan
    private var hasBegun = false
    /// The latest frame so far, in display order.
    private var last: MediaTime?
    /// The end of that frame.
    private var end: MediaTime?
    private(set) var hasEnded = false

    init(_ plan: TranscodePlan) { self.plan = plan }

    /// Whether a packet is part of the output. Call it with every packet in order.
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

    /// Frames shown before the end may refer to frames shown after it. The output therefore ends with the first frame
    /// that is not followed by a frame shown earlier.
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

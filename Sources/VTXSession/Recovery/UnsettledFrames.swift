/// What went into an encoder and may have to be encoded again.
///
/// A frame is settled when its packet has come out, and those of all frames that are shown before it. Only then do
/// packets leave: what has left is a part of the video that stays right whatever encoder goes on. Packets come in
/// decoding order, so this holds them back for as long as frames are reordered, and no longer. Pure; ticks of one time
/// base.
package struct UnsettledFrames<Frame, Packet> {
    package struct Kept {
        package var pts: Int64
        package var frame: Frame
        package var isForcedKey: Bool
    }

    /// In presentation order, as they were sent.
    package private(set) var frames: [Kept] = []
    /// In decoding order.
    private var packets: [(pts: Int64, packet: Packet)] = []
    private var lastPTS = Int64.min
    /// More frames than any codec reorders: a frame that has not come out by then will not.
    private static var maxHeld: Int { 64 }

    package init() {}

    /// - Parameter pts: later than all before it.
    package mutating func add(_ frame: Frame, pts: Int64, isForcedKey: Bool) {
        frames.append(Kept(pts: pts, frame: frame, isForcedKey: isForcedKey))
    }

    /// The frame was refused.
    package mutating func removeLast() { frames.removeLast() }

    /// A packet has come out.
    ///
    /// - Returns: what is settled by it, in decoding order.
    package mutating func receive(_ packet: Packet, pts: Int64) -> [Packet] {
        packets.append((pts, packet))
        lastPTS = max(lastPTS, pts)
        let isComplete = packets.count <= frames.count && frames[packets.count - 1].pts == lastPTS
        return isComplete || packets.count > Self.maxHeld ? settle() : []
    }

    /// Nothing more comes: what is here is all there is.
    package mutating func settle() -> [Packet] {
        defer { (packets, lastPTS) = ([], .min) }
        if let last = frames.lastIndex(where: { $0.pts <= lastPTS }) { frames.removeSubrange(...last) }
        return packets.map(\.packet)
    }

    /// The encoder is lost: its packets that are not settled go, and the frames are to be sent again.
    package mutating func beginAgain() { (packets, lastPTS) = ([], .min) }
}

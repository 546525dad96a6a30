/// The frames in an encoder that may have to be encoded again.
///
/// A frame is settled when its packet and those of all frames shown before it have come out. Only then are packets
/// output, because that part of the video stays valid whichever encoder continues. Packets arrive in decoding order and
/// are therefore held only as long as frames are reordered. Pure; ticks of one time base.
package struct UnsettledFrames<Frame, Packet> {
    package struct Kept {
        package var pts: Int64
        package var frame: Frame
        package var isForcedKey: Bool
    }

    /// In display order, as sent.
    package private(set) var frames: [Kept] = []
    /// In decoding order.
    private var packets: [(pts: Int64, packet: Packet)] = []
    private var lastPTS = Int64.min
    /// More frames than any codec reorders. A frame that has not come out by then will not.
    private static var maxHeld: Int { 64 }

    package init() {}

    /// - Parameter pts: Later than all previous ones.
    package mutating func add(_ frame: Frame, pts: Int64, isForcedKey: Bool) {
        frames.append(Kept(pts: pts, frame: frame, isForcedKey: isForcedKey))
    }

    /// Removes the last frame, which was rejected.
    package mutating func removeLast() { frames.removeLast() }

    /// Takes a packet that came out.
    ///
    /// - Returns: the packets that it settles, in decoding order.
    package mutating func receive(_ packet: Packet, pts: Int64) -> [Packet] {
        packets.append((pts, packet))
        lastPTS = max(lastPTS, pts)
        let isComplete = packets.count <= frames.count && frames[packets.count - 1].pts == lastPTS
        return isComplete || packets.count > Self.maxHeld ? settle() : []
    }

    /// Settles everything at the end of the stream.
    package mutating func settle() -> [Packet] {
        defer { (packets, lastPTS) = ([], .min) }
        if let last = frames.lastIndex(where: { $0.pts <= lastPTS }) { frames.removeSubrange(...last) }
        return packets.map(\.packet)
    }

    /// Discards the unsettled packets of a lost encoder. Their frames have to be sent again.
    package mutating func beginAgain() { (packets, lastPTS) = ([], .min) }
}

/// The packets sent to a decoder since the last point from which another decoder can continue without losing a frame.
///
/// A random access point whose own frame has been shown loses none: all frames before it have been shown as well,
/// including its leading pictures, which another decoder could not decode. But later H.264 pictures may refer to
/// earlier ones in order to drop them (7.4.3.3), which libavcodec reports as an error if it never had them; and where
/// it begins a gradual refresh (D.2.8), pictures are complete only later. The point is therefore the random access
/// point before that one, or the first packet of all as long as everything since then is kept. Frames are identified by
/// the numbers of their packets, because not all have timestamps. Pure; ticks of one time base.
package struct UnshownPackets<Packet> {
    private struct Kept {
        var packet: Packet
        var byteCount: Int
        var isRandomAccess: Bool
        var isShown = false
    }

    private var kept: [Kept] = []
    /// The number of the first packet in `kept`.
    private var firstNumber = 0
    private var byteCount = 0
    private let byteLimit: Int
    /// The number of the next packet; the first one is 0.
    package private(set) var nextNumber = 0
    /// The display time of the last frame output; nil before the first.
    private var lastShown: Int64?
    /// Whether a frame has been output.
    package private(set) var hasShown = false

    /// - Parameter byteLimit: The maximum size. Packets before the last random access point are dropped first. If that
    ///   is not enough, a decoder lost before the next random access point loses frames.
    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The packets in decoding order; empty if another decoder would lose a frame.
    package var packets: [Packet] {
        guard let first = kept.first, first.isShown || firstNumber == 0 else { return [] }
        return kept.map(\.packet)
    }

    package mutating func add(_ packet: Packet, byteCount: Int, isRandomAccess: Bool) {
        defer { nextNumber += 1 }
        guard isRandomAccess || !kept.isEmpty else { return }
        if kept.isEmpty { firstNumber = nextNumber }
        kept.append(Kept(packet: packet, byteCount: byteCount, isRandomAccess: isRandomAccess))
        self.byteCount += byteCount
        if self.byteCount > byteLimit, let start = lastStart(before: kept.endIndex) { remove(before: start) }
        if self.byteCount > byteLimit { removeAll() }
    }

    /// Notes that a frame is output.
    ///
    /// - Parameters:
    ///   - number: The number of its packet; nil if the frame cannot be identified, which ends what is kept.
    ///   - pts: nil if the frame has no timestamp.
    package mutating func show(_ number: Int?, pts: Int64?) {
        hasShown = true
        lastShown = [lastShown, pts].compactMap(\.self).max()
        guard let number else { return removeAll() }
        guard kept.indices.contains(number - firstNumber) else { return }
        kept[number - firstNumber].isShown = true
        guard kept[number - firstNumber].isRandomAccess, let last = lastStart(before: kept.endIndex),
            let start = lastStart(before: last)
        else { return }
        remove(before: start)
    }

    /// Returns the last random access point whose frame has been shown.
    private func lastStart(before end: Int) -> Int? { kept[..<end].lastIndex { $0.isShown && $0.isRandomAccess } }

    private mutating func remove(before start: Int) {
        byteCount -= kept[..<start].reduce(0) { $0 + $1.byteCount }
        kept.removeFirst(start)
        firstNumber += start
    }

    /// Whether another decoder outputs this frame a second time, or too late.
    package func isShown(_ number: Int?, pts: Int64?) -> Bool {
        if let number, kept.indices.contains(number - firstNumber), kept[number - firstNumber].isShown { return true }
        guard let pts, let lastShown else { return false }
        return pts <= lastShown
    }

    package mutating func removeAll() { (kept, byteCount) = ([], 0) }

    /// Starts over with the next packet.
    package mutating func reset() { self = Self(byteLimit: byteLimit) }
}

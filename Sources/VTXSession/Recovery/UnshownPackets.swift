/// What a decoder was sent, from the last place on at which another one can begin and lose no frame.
///
/// A random access point whose own frame has been shown loses none: all frames before it have been shown too, and its
/// leading pictures, which another decoder could not decode, are among them. But H.264's pictures after it may name those
/// before it, to have them dropped (7.4.3.3), which libavcodec calls an error where it never had them; and where it begins
/// a gradual refresh (D.2.8), they are whole only later. So the place is the random access point before that one. It is
/// also the first packet of all, as long as everything since then is kept. Frames are told apart by the numbers of their
/// packets, for not all have a time. Pure; ticks of one time base.
package struct UnshownPackets<Packet> {
    private struct Kept {
        var packet: Packet
        var byteCount: Int
        var isRandomAccess: Bool
        var isShown = false
    }

    private var kept: [Kept] = []
    /// Of the first packet in `kept`.
    private var firstNumber = 0
    private var byteCount = 0
    private let byteLimit: Int
    /// Which number the next packet has; the first one's is 0.
    package private(set) var nextNumber = 0
    /// When the last frame is shown that was given out; nil before the first.
    private var lastShown: Int64?
    /// A frame was given out.
    package private(set) var hasShown = false

    /// - Parameter byteLimit: more than this is not kept, at first of what is before the last random access point. Where
    ///   that is not enough, what is lost before the next one is lost.
    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// In decoding order; none where another decoder would lose a frame.
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

    /// A frame is given out.
    ///
    /// - Parameters:
    ///   - number: of its packet; nil for one that cannot be told from others: it ends what is kept.
    ///   - pts: nil where it has no time.
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

    /// The last random access point whose frame has been shown.
    private func lastStart(before end: Int) -> Int? { kept[..<end].lastIndex { $0.isShown && $0.isRandomAccess } }

    private mutating func remove(before start: Int) {
        byteCount -= kept[..<start].reduce(0) { $0 + $1.byteCount }
        kept.removeFirst(start)
        firstNumber += start
    }

    /// Another decoder gives this frame a second time, or too late.
    package func isShown(_ number: Int?, pts: Int64?) -> Bool {
        if let number, kept.indices.contains(number - firstNumber), kept[number - firstNumber].isShown { return true }
        guard let pts, let lastShown else { return false }
        return pts <= lastShown
    }

    package mutating func removeAll() { (kept, byteCount) = ([], 0) }

    /// The next packet is the first one.
    package mutating func reset() { self = Self(byteLimit: byteLimit) }
}

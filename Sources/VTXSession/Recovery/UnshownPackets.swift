/// What a decoder was sent, from the last place on at which another one can begin and lose no frame.
///
/// That place is a random access point whose own frame has been shown, since then all frames before it have been too: its
/// leading pictures, which another decoder could not decode, are among them. Pure; ticks of one time base.
package struct UnshownPackets<Packet> {
    private var kept: [Packet] = []
    /// Of `kept`: the random access points, in decoding order. The first one is at 0.
    private var places: [(index: Int, pts: Int64)] = []
    private var byteCount = 0
    private let byteLimit: Int
    /// When the last frame is shown that was given out; nil before the first.
    package private(set) var lastShown: Int64?

    /// - Parameter byteLimit: more than this is not kept. What is lost before the next random access point is lost then.
    package init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// In decoding order; none where no other decoder can begin.
    package var packets: [Packet] { kept }

    /// - Parameter pts: nil for a packet whose frame cannot be told from others: it ends what is kept.
    package mutating func add(_ packet: Packet, pts: Int64?, byteCount: Int, isRandomAccess: Bool) {
        guard let pts else { return removeAll() }
        if isRandomAccess { places.append((kept.count, pts)) }
        guard !places.isEmpty else { return }
        kept.append(packet)
        self.byteCount += byteCount
        if self.byteCount > byteLimit { removeAll() }
    }

    /// A frame is given out; each is shown later than those before it.
    ///
    /// - Parameter size: bytes of a packet that is not needed any more.
    package mutating func show(pts: Int64?, size: (Packet) -> Int) {
        guard let pts else { return removeAll() }
        lastShown = max(lastShown ?? pts, pts)
        guard let newest = places.lastIndex(where: { $0.pts <= pts }), newest > 0 else { return }
        let start = places[newest].index
        byteCount -= kept[..<start].reduce(0) { $0 + size($1) }
        kept.removeFirst(start)
        places.removeFirst(newest)
        places = places.map { ($0.index - start, $0.pts) }
    }

    /// Another decoder gives this frame a second time.
    package func isShown(pts: Int64?) -> Bool {
        guard let pts, let lastShown else { return false }
        return pts <= lastShown
    }

    package mutating func removeAll() { (kept, places, byteCount) = ([], [], 0) }

    /// The next packet is the first one.
    package mutating func reset() {
        removeAll()
        lastShown = nil
    }
}

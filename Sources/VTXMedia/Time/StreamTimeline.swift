/// The timestamps of a packet, in ticks of its stream's time base.
package struct PacketTimes: Sendable, Hashable, Codable {
    package var pts: Int64?
    package var dts: Int64?
    /// 0 if unknown.
    package var duration: Int64 = 0
    /// Whether an edit list hides the packet: it is decoded but not shown, and its timestamps may be arbitrary.
    package var isHidden = false

    package init(pts: Int64? = nil, dts: Int64? = nil, duration: Int64 = 0, isHidden: Bool = false) {
        (self.pts, self.dts, self.duration, self.isHidden) = (pts, dts, duration, isHidden)
    }
}

/// The state of one stream in a `TimestampNormalizer`: its position, in seconds of the output, and its waiting packets.
package struct StreamTimeline: Sendable, Hashable, Codable {
    package enum Kind: Codable {
        /// Video to be decoded. If packets have no timestamps, frames get them after decoding.
        case decodedVideo
        case copiedVideo
        case audio
        /// Subtitles and data, with gaps of any length.
        case sparse
    }

    private typealias Limits = TimestampNormalizer.Limits

    private let kind: Kind
    private let timeBase: Rational
    /// The period after which the source's timestamps wrap around, in seconds.
    private let period: Double?
    /// 0 if unknown.
    private let frameDuration: Double
    /// The offset added to the source's timestamps.
    private(set) var offset = 0.0
    /// The end time of the latest packet; nil before the first one.
    private(set) var end: Double?
    /// The latest decoding time, and the next one expected from the durations.
    private(set) var decoded: Double?
    private var next: Double?
    private var lastDTS: Int64?
    private var hasOutliers = false
    /// The waiting packets with the source's timestamps, unwrapped.
    private(set) var held: [PacketTimes] = []

    /// - Parameters:
    ///   - wrapBits: The number of bits of the source's timestamp counter (C: `AVStream.pts_wrap_bits`).
    ///   - frameRate: 0 if unknown.
    package init(_ kind: Kind, timeBase: Rational, wrapBits: Int = 64, frameRate: Rational = Rational(0, 1)) {
        self.kind = kind
        self.timeBase = timeBase
        period = wrapBits < 63 ? MediaTime(1 << Int64(wrapBits), timeBase).seconds : nil
        frameDuration = frameRate.frameSeconds
    }

    func moved(to offset: Double) -> StreamTimeline {
        var copy = self
        copy.offset = offset
        return copy
    }

    func shifted(_ times: PacketTimes) -> PacketTimes {
        var times = times
        times.pts = times.pts.map { $0 + ticks(offset) }
        times.dts = times.dts.map { $0 + ticks(offset) }
        return times
    }

    // MARK: Seconds

    var isSparse: Bool { kind == .sparse }
    private var isVideo: Bool { kind == .decodedVideo || kind == .copiedVideo }
    /// The distance from which a later timestamp needs confirmation.
    private var leap: Double { min(max(Limits.leap, Limits.leapFrames * frameDuration), Limits.longestGap) }

    private func ticks(_ seconds: Double) -> Int64 { MediaTime(seconds: seconds).rescaled(to: timeBase).ticks }
    private func seconds(_ ticks: Int64) -> Double { MediaTime(ticks, timeBase).seconds + offset }

    func shownTime(_ times: PacketTimes) -> Double? { (times.pts ?? times.dts).map(seconds) }

    /// nil for video without decoding times, whose presentation times are not monotonic.
    private func decodingTime(_ times: PacketTimes) -> Double? {
        (times.dts ?? (isVideo ? nil : times.pts)).map(seconds)
    }

    private func duration(_ times: PacketTimes) -> Double {
        times.duration > 0 ? MediaTime(times.duration, timeBase).seconds : frameDuration
    }

    // MARK: Packets that come

    mutating func hold(_ times: PacketTimes) {
        var times = times
        times.pts = times.pts.flatMap(unwrapped)
        times.dts = times.dts.flatMap(unwrapped)
        // A damaged header may say anything.
        if duration(times) > Limits.longestGap { times.duration = 0 }
        held.append(times)
    }

    /// Returns the possible value of the timestamp that is nearest to the previous one; nil if the timestamp is
    /// invalid.
    private func unwrapped(_ time: Int64) -> Int64? {
        guard abs(seconds(time)) < 1e9, time.magnitude < 1 << 60 else { return nil }
        guard let period, let end else { return time }
        return time + ticks(period * ((end - seconds(time)) / period).rounded())
    }

    /// The deviation of the first waiting packet from the expected time: positive for a leap ahead, negative for a step
    /// back, nil for none.
    var deviation: Double? {
        guard let head = held.first, !head.isHidden, let end, let decoded, let next else { return nil }
        if let time = shownTime(head), time - end > leap { return time - end }
        if let time = decodingTime(head), time < decoded - Limits.overlap { return time - next }
        return nil
    }

    /// The offset without that deviation.
    var offsetInLine: Double? { deviation.map { offset - $0 } }

    /// Whether the first waiting packet follows the previous one, at most after a gap.
    var continues: Bool {
        guard let head = held.first, let end, let decoded, let time = shownTime(head) else { return false }
        return (decodingTime(head) ?? time) >= decoded - Limits.overlap && time - end <= Limits.gap
    }

    // MARK: Packets that wait

    /// Whether the first waiting packet is an outlier, after which the stream returned to its timeline; nil if
    /// undecided.
    func isOutlier(_ deviation: Double, atEnd: Bool) -> Bool? {
        let position = deviation > 0 ? shownTime : decodingTime
        guard let head = held.first, let start = position(head), let next else { return true }
        var (back, isConfirmed, elapsed) = (0, held.count > Limits.held, 0.0)
        for (previous, times) in zip(held, held.dropFirst()) {
            elapsed += duration(previous)
            guard !times.isHidden, let time = position(times) else { continue }
            // After a step back, the times of both lines rise: it is on the nearer one.
            let isBack = deviation > 0 ? time < start : time - (next + elapsed) > deviation / 2
            if isBack { back += 1 } else if time - start >= leap { isConfirmed = true }
        }
        if back > (isVideo ? Limits.reordering : 1) { return true }
        if atEnd { return deviation < 0 || deviation > Limits.longestGap }
        return isConfirmed ? false : nil
    }

    mutating func forgetTimesOfHead() {
        (held[0].pts, held[0].dts) = (nil, nil)
        hasOutliers = true
    }

    // MARK: Packets that go

    /// Assigns the first waiting packet its timestamps.
    mutating func placeHead() -> PacketTimes {
        let times = held.removeFirst()
        var placed = shifted(times)
        if times.isHidden { return placed }
        let expected = end.map(ticks)
        advance(past: times)
        if kind == .decodedVideo {
            // Demuxers derive decoding times from presentation times, and decoders fall back on them.
            if hasOutliers { placed.dts = nil }
            return placed
        }
        if placed.dts == nil { placed.pts = placed.pts ?? expected }
        if !isVideo { placed.dts = placed.dts ?? placed.pts }
        // Audio packets may be shorter than a tick: TrueHD's have 0.83 ms, and Matroska's ticks 1 ms.
        if let dts = placed.dts, let lastDTS { placed.dts = max(dts, lastDTS + (kind == .audio ? 0 : 1)) }
        if let pts = placed.pts, let dts = placed.dts { placed.pts = max(pts, dts) }
        lastDTS = placed.dts ?? lastDTS
        return placed
    }

    private mutating func advance(past times: PacketTimes) {
        let duration = duration(times)
        guard let shown = shownTime(times) else {
            (next, end) = (next.map { $0 + duration }, end.map { $0 + duration })
            return
        }
        end = max(end ?? shown, shown + duration)
        // Without decoding times, what is shown up to `leap` earlier may still come.
        let time = decodingTime(times) ?? shown - leap
        decoded = max(decoded ?? time, time)
        next = time + duration
    }
}

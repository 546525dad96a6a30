/// Derives decoding times from presentation times, for frames in decoding order. The packets of several encoders get
/// them by the rule of x264, x265 and libavcodec's VA-API encoders: frame N in decoding order is decoded at the
/// presentation time of frame N - `delay` in display order. Pure; ticks of one time base.
package struct DecodingTimes: Sendable, Hashable {
    /// The number of frames by which decoding precedes display.
    package let delay: Int
    /// The decoding times of the first frames, as many as the delay.
    private let first: [Int64]
    /// Presentation times, in order, that have not been used as decoding times.
    private var waiting: [Int64] = []
    private var count = 0
    private var last = Int64.min

    /// Continues after frames that are encoded.
    ///
    /// - Parameters:
    ///   - frames: The first frames with the timestamps of their encoder.
    ///   - minDelay: The delay that the following frames need.
    ///   - frameDuration: The usual duration of a frame.
    package init(after frames: [(pts: Int64, dts: Int64)], minDelay: Int = 0, frameDuration: Int64) {
        let own = Self.delay(of: frames, frameDuration)
        let delay = max(own, minDelay)
        let start = frames.first?.pts ?? 0
        let missing = (0..<delay).map { start - Int64(delay - $0) * max(1, frameDuration) }
        self.delay = delay
        first = delay == own ? frames.prefix(own).map(\.dts) + missing.dropFirst(frames.count) : missing
    }

    /// Derives the delay from the first frame that is decoded when the first one is shown.
    private static func delay(of frames: [(pts: Int64, dts: Int64)], _ frameDuration: Int64) -> Int {
        guard let first = frames.first else { return 0 }
        if let index = frames.firstIndex(where: { $0.dts >= first.pts }) { return index }
        return Int((first.pts - first.dts + frameDuration / 2) / max(1, frameDuration))
    }

    /// Begins with an encoder's first packet.
    ///
    /// - Parameters:
    ///   - pts: The presentation time of the packet.
    ///   - dts: The decoding time of the packet.
    ///   - shown: The presentation times of the first frames, in order; more than the delay.
    package init(pts: Int64, dts: Int64, shown: [Int64]) {
        let lead = max(0, pts - dts)
        delay = shown.firstIndex { $0 - pts >= lead } ?? shown.count
        first = shown.prefix(delay).map { $0 - lead }
    }

    /// - Returns: the decoding time of the next frame; nil if the delay is too short for it.
    package mutating func next(_ pts: Int64) -> Int64? {
        waiting.insert(pts, at: waiting.firstIndex { $0 > pts } ?? waiting.endIndex)
        defer { count += 1 }
        if count < delay { return first[count] }
        let dts = waiting.removeFirst()
        // The time of a later frame is gone already.
        guard dts > last else { return nil }
        last = dts
        return dts
    }
}

/// Decoding times for frames in decoding order, from their presentation times. What several encoders make gets them by one
/// rule, which is that of x264, x265 and libavcodec's VA-API encoders: the frame at place N is decoded when the frame that
/// is N - `delay`th to be shown is shown. Pure; ticks of one time base.
package struct DecodingTimes: Sendable, Hashable {
    /// Frames by which decoding is ahead.
    package let delay: Int
    /// Those of the first frames, as many as the delay.
    private let first: [Int64]
    /// Presentation times in their order, which no frame was decoded at yet.
    private var waiting: [Int64] = []
    private var count = 0
    private var last = Int64.min

    /// Goes on after frames that are coded.
    ///
    /// - Parameters:
    ///   - frames: the first ones, as their encoder timed them.
    ///   - minDelay: what frames after these need.
    ///   - frameDuration: of a usual frame.
    package init(after frames: [(pts: Int64, dts: Int64)], minDelay: Int = 0, frameDuration: Int64) {
        let own = Self.delay(of: frames, frameDuration)
        let delay = max(own, minDelay)
        let start = frames.first?.pts ?? 0
        let missing = (0..<delay).map { start - Int64(delay - $0) * max(1, frameDuration) }
        self.delay = delay
        first = delay == own ? frames.prefix(own).map(\.dts) + missing.dropFirst(frames.count) : missing
    }

    /// The first frame that is decoded when the first one is shown tells it.
    private static func delay(of frames: [(pts: Int64, dts: Int64)], _ frameDuration: Int64) -> Int {
        guard let first = frames.first else { return 0 }
        if let index = frames.firstIndex(where: { $0.dts >= first.pts }) { return index }
        return Int((first.pts - first.dts + frameDuration / 2) / max(1, frameDuration))
    }

    /// Begins as an encoder's first packet does.
    ///
    /// - Parameters:
    ///   - pts, dts: the packet's.
    ///   - shown: presentation times of the first frames, in their order; more than the delay.
    package init(pts: Int64, dts: Int64, shown: [Int64]) {
        let lead = max(0, pts - dts)
        delay = shown.firstIndex { $0 - pts >= lead } ?? shown.count
        first = shown.prefix(delay).map { $0 - lead }
    }

    /// - Returns: the decoding time of the next frame; nil where the delay is too short for it.
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

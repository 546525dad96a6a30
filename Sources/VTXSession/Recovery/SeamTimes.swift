/// Decoding times that go on by one rule from encoder to encoder: the frame at place N is decoded when the one that is
/// N - `delay`th to be shown is shown. x264, x265 and libavcodec's VA-API encoders follow it, each from its own
/// beginning. Pure; ticks of one time base.
package struct SeamTimes: Sendable, Hashable {
    /// Frames by which decoding is ahead; nil before the first packet.
    package private(set) var delay: Int?
    /// How much earlier the first frame is decoded than shown; those after it, as far as the delay goes.
    private var lead: Int64 = 0
    private var count = 0
    /// Of the last frames that are out, in presentation order.
    private var shown: [Int64] = []

    package init() {}

    /// Learns the delay from the first packet.
    ///
    /// - Parameter times: presentation times of the first frames, in their order; more than the delay.
    package mutating func begin(pts: Int64, dts: Int64, _ times: [Int64]) {
        guard delay == nil else { return }
        lead = max(0, pts - dts)
        delay = times.firstIndex { $0 - pts >= lead } ?? times.count
    }

    /// The next frames, which are settled together.
    ///
    /// - Parameter times: presentation times in decoding order.
    /// - Returns: the decoding times.
    package mutating func next(_ times: [Int64]) -> [Int64] {
        let delay = delay ?? 0
        let known = shown + times.sorted()
        let first = count - shown.count
        defer {
            count += times.count
            shown = known.suffix(delay)
        }
        return times.indices.map { index in
            let place = count + index
            return place < delay ? known[place - first] - lead : known[place - first - delay]
        }
    }
}

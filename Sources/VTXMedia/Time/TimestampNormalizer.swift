/// Normalizes the timestamps of the streams of a program: unwraps counters, removes discontinuities (H.222.0 2.4.3.5),
/// replaces outliers, makes decoding times increase, and reports when the range has ended. Timestamps are correct after
/// it.
///
/// A packet with the expected timestamp passes immediately. Any other waits, with the packets of its stream that
/// follow, until they continue from it for a second (20 frames of slow video) or return to the previous timeline.
/// `Limits.held` bounds the wait for live input as well.
///
/// Pure: timestamps in, timestamps out. All its state is `Codable`.
package struct TimestampNormalizer: Sendable, Hashable, Codable {
    /// The limits, in seconds unless noted.
    enum Limits {
        /// The distance from which a later timestamp needs confirmation; for slow video, `leapFrames` frames.
        static let leap = 1.0
        static let leapFrames = 20.0
        /// The maximum number of packets that may follow a packet shown after them. No specification limits it;
        /// encoders use no more (C: `X264_BFRAME_MAX`, `X265_BFRAME_MAX`).
        static let reordering = 16
        /// The maximum number of waiting packets of a stream. After more, the first one's timestamp is accepted.
        static let held = 256
        /// The tolerance for decoding times that step back because durations are rounded.
        static let overlap = 0.3
        /// The gap from which a leap is a discontinuity in formats that have them (ffmpeg: `-dts_delta_threshold`).
        static let gap = 10.0
        /// The same in all other formats: no recording pauses for a day.
        static let longestGap = 86_400.0
    }

    private var timelines: [Int: StreamTimeline]
    /// The offset of the newest part of the program. Streams adopt it at different packets.
    private var offset: Double
    private let gap: Double
    /// The end of the output.
    private let end: Double?
    package private(set) var discontinuities = 0
    package private(set) var outliers = 0

    /// - Parameters:
    ///   - timelines: The streams, by index.
    ///   - offset: The offset added to every timestamp, in seconds.
    ///   - end: The end of the output, in seconds; nil for the end of the source.
    ///   - hasDiscontinuities: Whether the format has discontinuities (C: `AVFMT_TS_DISCONT`).
    package init(_ timelines: [Int: StreamTimeline], offset: Double, end: Double? = nil, hasDiscontinuities: Bool) {
        self.timelines = timelines.mapValues { $0.isSparse ? $0 : $0.moved(to: offset) }
        self.offset = offset
        self.end = end
        gap = hasDiscontinuities ? Limits.gap : Limits.longestGap
    }

    /// Whether no packet waits.
    package var isSettled: Bool { timelines.values.allSatisfy(\.held.isEmpty) }

    /// Whether all audio and video has passed the end of the range, or one stream is so far past it that no other
    /// follows.
    package var hasEnded: Bool {
        let streams = timelines.values.filter { !$0.isSparse }
        guard let end, let furthest = streams.compactMap(\.decoded).max() else { return false }
        return furthest > end + Limits.gap || streams.allSatisfy { ($0.decoded ?? -.infinity) >= end }
    }

    /// - Returns: the timestamps of the packets of this stream that no longer wait, in order of arrival.
    package mutating func take(_ times: PacketTimes, of stream: Int) -> [PacketTimes] {
        guard let timeline = timelines[stream] else { return [times] }
        if timeline.isSparse {
            return [timeline.moved(to: sparseOffset(for: timeline.shownTime(times))).shifted(times)]
        }
        timelines[stream]?.hold(times)
        return settle(stream, atEnd: false)
    }

    /// Returns the timestamps of all waiting packets at the end of the source.
    package mutating func finish(_ stream: Int) -> [PacketTimes] { settle(stream, atEnd: true) }

    private mutating func settle(_ stream: Int, atEnd: Bool) -> [PacketTimes] {
        var settled: [PacketTimes] = []
        while var timeline = timelines[stream], !timeline.held.isEmpty {
            if let deviation = timeline.deviation, !follow(&timeline) {
                guard let isOutlier = timeline.isOutlier(deviation, atEnd: atEnd) else { break }
                if isOutlier {
                    timeline.forgetTimesOfHead()
                    outliers += 1
                } else if isDiscontinuity(deviation, in: timeline, stream) {
                    takeOut(timeline.offset - deviation)
                    timeline = timeline.moved(to: offset)
                }
            }
            settled.append(timeline.placeHead())
            timelines[stream] = timeline
        }
        return settled
    }

    /// Moves a stream to the newest part of the program if its timestamps fit there.
    private func follow(_ timeline: inout StreamTimeline) -> Bool {
        let moved = timeline.moved(to: offset)
        guard timeline.offset != offset, moved.continues else { return false }
        timeline = moved
        return true
    }

    /// A step back is always a discontinuity. A leap ahead is not if another stream is as far ahead: then this one has
    /// a gap.
    private func isDiscontinuity(_ deviation: Double, in timeline: StreamTimeline, _ stream: Int) -> Bool {
        guard deviation > 0, let end = timeline.end else { return true }
        return deviation > gap
            && !timelines.contains { $0.key != stream && $0.value.end ?? -.infinity > end + deviation - gap }
    }

    /// Continues the program where it was. If several streams wait at this discontinuity, the smallest gap decides, so
    /// that none overlaps.
    private mutating func takeOut(_ candidate: Double) {
        let others = timelines.values.compactMap(\.offsetInLine)
        offset = others.filter { abs($0 - candidate) <= Limits.gap }.max() ?? candidate
        discontinuities += 1
    }

    /// Returns the offset for subtitles, whose gaps may have any length. Of the newest offset and those awaiting
    /// confirmation, it is the one that places them nearest to the rest of the program.
    private func sparseOffset(for time: Double?) -> Double {
        guard let time, let position = timelines.values.compactMap(\.end).max() else { return offset }
        let waiting = timelines.values.compactMap(\.offsetInLine).filter { abs($0 - offset) > Limits.gap }
        return waiting.reduce(offset) { abs(time + $1 - position) < abs(time + $0 - position) ? $1 : $0 }
    }
}

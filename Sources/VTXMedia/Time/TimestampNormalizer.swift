/// Puts the packets of one program on one timeline: unwraps counters, takes out discontinuities (H.222.0 2.4.3.5),
/// replaces outliers, makes decoding times rise, and tells when the range has ended. Times are right after it.
///
/// A packet in line passes at once. One that is out of line waits, with those of its stream after it, until they go on
/// from it for a second (20 frames of slow video) or come back. `Limits.held` bounds it for live input too.
///
/// Pure: times in, times out. All that it knows is `Codable`; a job can resume from it wherever it `isSettled`.
package struct TimestampNormalizer: Sendable, Hashable, Codable {
    /// All limits; seconds, where nothing else is said.
    enum Limits {
        /// So far ahead a time needs confirmation; slow video, `leapFrames` frames.
        static let leap = 1.0
        static let leapFrames = 20.0
        /// Packets that may follow one that is shown after them. No specification says how many; encoders make no more
        /// (C: `X264_BFRAME_MAX`, `X265_BFRAME_MAX`).
        static let reordering = 16
        /// Packets of one stream that may wait; with more of them the first one is believed.
        static let held = 256
        /// So far decoding times may step back, since durations are rounded.
        static let overlap = 0.3
        /// A longer gap is a discontinuity, in formats that have them (ffmpeg: `-dts_delta_threshold`).
        static let gap = 10.0
        /// And in all others: no recording pauses for a day.
        static let longestGap = 86_400.0
    }

    private var timelines: [Int: StreamTimeline]
    /// What is added to the times of the newest part of the program. Streams reach it at different packets.
    private var offset: Double
    private let gap: Double
    /// Where the output ends.
    private let end: Double?
    package private(set) var discontinuities = 0
    package private(set) var outliers = 0

    /// - Parameters:
    ///   - timelines: the streams, by their numbers.
    ///   - offset: seconds that are added to every time.
    ///   - end: seconds at which the output ends; nil for the end of the source.
    ///   - hasDiscontinuities: the format has them (C: `AVFMT_TS_DISCONT`).
    package init(_ timelines: [Int: StreamTimeline], offset: Double, end: Double? = nil, hasDiscontinuities: Bool) {
        self.timelines = timelines.mapValues { $0.isSparse ? $0 : $0.moved(to: offset) }
        self.offset = offset
        self.end = end
        gap = hasDiscontinuities ? Limits.gap : Limits.longestGap
    }

    /// No packet waits.
    package var isSettled: Bool { timelines.values.allSatisfy(\.held.isEmpty) }

    /// All audio and video has passed the end of the range, or one stream is so far past it that no other comes.
    package var hasEnded: Bool {
        let streams = timelines.values.filter { !$0.isSparse }
        guard let end, let furthest = streams.compactMap(\.decoded).max() else { return false }
        return furthest > end + Limits.gap || streams.allSatisfy { ($0.decoded ?? -.infinity) >= end }
    }

    /// - Returns: the times of the packets of this stream that wait no longer, in the order in which they came.
    package mutating func take(_ times: PacketTimes, of stream: Int) -> [PacketTimes] {
        guard let timeline = timelines[stream] else { return [times] }
        if timeline.isSparse {
            return [timeline.moved(to: sparseOffset(for: timeline.shownTime(times))).shifted(times)]
        }
        timelines[stream]?.hold(times)
        return settle(stream, atEnd: false)
    }

    /// The source has ended.
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

    /// Takes a stream over to the newest part of the program, where it fits there.
    private func follow(_ timeline: inout StreamTimeline) -> Bool {
        let moved = timeline.moved(to: offset)
        guard timeline.offset != offset, moved.continues else { return false }
        timeline = moved
        return true
    }

    /// A step back always is one. A leap ahead is none where another stream has come as far: this one has a hole.
    private func isDiscontinuity(_ deviation: Double, in timeline: StreamTimeline, _ stream: Int) -> Bool {
        guard deviation > 0, let end = timeline.end else { return true }
        return deviation > gap
            && !timelines.contains { $0.key != stream && $0.value.end ?? -.infinity > end + deviation - gap }
    }

    /// The program goes on where it was. Where several streams wait at this discontinuity, the one with the least room
    /// decides, so that none overlaps.
    private mutating func takeOut(_ candidate: Double) {
        let others = timelines.values.compactMap(\.offsetInLine)
        offset = others.filter { abs($0 - candidate) <= Limits.gap }.max() ?? candidate
        discontinuities += 1
    }

    /// Subtitles pause for as long as they like, so their own times tell nothing. Of the newest offset, and those that
    /// wait for confirmation, they get the one that brings them nearest to the rest of the program.
    private func sparseOffset(for time: Double?) -> Double {
        guard let time, let position = timelines.values.compactMap(\.end).max() else { return offset }
        let waiting = timelines.values.compactMap(\.offsetInLine).filter { abs($0 - offset) > Limits.gap }
        return waiting.reduce(offset) { abs(time + $1 - position) < abs(time + $0 - position) ? $1 : $0 }
    }
}

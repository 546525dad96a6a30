import VTXMedia
import VTXSystem
import VTXTask

/// Decides whether a lane takes another segment: only if it finishes it before the other lanes would finish all the
/// rest, so that a slow lane does not delay the end. Pure.
struct LaneSchedule: Sendable {
    typealias Shared = Locked<LaneSchedule>
    typealias Instant = ContinuousClock.Instant

    private struct Lane {
        /// The start of the current segment; nil before the first.
        var start: Instant?
        /// The time per segment, in seconds; nil if none is finished.
        var pace: Double?
        var hasEnded = false
    }

    private var lanes: [Lane]
    /// The estimated number of segments that no lane has taken.
    private var left: Int

    /// - Parameter segments: The approximate number of segments.
    init(lanes: Int, segments: Int) {
        self.lanes = Array(repeating: Lane(), count: lanes)
        left = segments
    }

    /// Notes that a lane begins a segment.
    mutating func begin(_ lane: Int, at now: Instant) {
        lanes[lane].start = now
        left -= 1
    }

    /// Notes that a lane has finished its segment.
    ///
    /// - Returns: whether it begins another segment. Otherwise it takes no more.
    mutating func takes(_ lane: Int, at now: Instant) -> Bool {
        if let start = lanes[lane].start { lanes[lane].pace = (now - start) / .seconds(1) }
        guard isWorth(lane, at: now) else {
            lanes[lane].hasEnded = true
            return false
        }
        begin(lane, at: now)
        return true
    }

    private func isWorth(_ lane: Int, at now: Instant) -> Bool {
        guard let pace = lanes[lane].pace else { return true }
        let others = lanes.indices.filter { $0 != lane && !lanes[$0].hasEnded }.compactMap { other(lanes[$0], at: now) }
        guard !others.isEmpty else { return true }
        return pace <= seconds(for: max(1, left), by: others)
    }

    /// Returns when another lane is free, and its time per segment; nil if unknown.
    private func other(_ lane: Lane, at now: Instant) -> (free: Double, pace: Double)? {
        guard let pace = lane.pace, let start = lane.start else { return nil }
        return (max(0, pace - (now - start) / .seconds(1)), pace)
    }

    /// Returns the time for segments that each go to the lane that finishes first.
    private func seconds(for count: Int, by lanes: [(free: Double, pace: Double)]) -> Double {
        var (ends, last) = (lanes, 0.0)
        for _ in 0..<count {
            guard let best = ends.indices.min(by: { ends[$0].free + ends[$0].pace < ends[$1].free + ends[$1].pace })
            else { break }
            ends[best].free += ends[best].pace
            last = max(last, ends[best].free)
        }
        return last
    }
}

extension LaneSchedule {
    /// nil if all lanes are equal.
    init?(_ encoding: VideoEncoding, segmentSeconds: Double, videoSeconds: Double?) {
        guard let videoSeconds, Set(encoding.laneDevices).count > 1 else { return nil }
        self.init(
            lanes: encoding.parallelism, segments: Int((videoSeconds / max(1, segmentSeconds)).rounded(.up)))
    }
}

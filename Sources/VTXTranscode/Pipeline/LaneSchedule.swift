import VTXMedia
import VTXSystem
import VTXTask

/// Whether a lane takes another segment: it does where it is done with it before the other lanes would be done with all
/// that is left. So a slow lane does not keep the fast ones waiting at the end. Pure.
struct LaneSchedule: Sendable {
    typealias Shared = Locked<LaneSchedule>
    typealias Instant = ContinuousClock.Instant

    private struct Lane {
        /// Of the segment that it works on; nil before its first.
        var start: Instant?
        /// Seconds that a segment takes it; nil where none is done.
        var pace: Double?
        var hasEnded = false
    }

    private var lanes: [Lane]
    /// Segments that no lane has taken, as far as it is known.
    private var left: Int

    /// - Parameter segments: how many there will be, at about.
    init(lanes: Int, segments: Int) {
        self.lanes = Array(repeating: Lane(), count: lanes)
        left = segments
    }

    /// The lane begins a segment.
    mutating func begin(_ lane: Int, at now: Instant) {
        lanes[lane].start = now
        left -= 1
    }

    /// The lane is done with what it had.
    ///
    /// - Returns: whether it begins another segment; else it takes no more.
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

    /// When another lane is free, and how long it takes for a segment; nil where that is not known yet.
    private func other(_ lane: Lane, at now: Instant) -> (free: Double, pace: Double)? {
        guard let pace = lane.pace, let start = lane.start else { return nil }
        return (max(0, pace - (now - start) / .seconds(1)), pace)
    }

    /// Each segment goes to the lane that is done with it first.
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
    /// nil where all lanes are alike.
    init?(_ encoding: VideoEncoding, segmentSeconds: Double, videoSeconds: Double?) {
        guard let videoSeconds, Set(encoding.laneDevices).count > 1 else { return nil }
        self.init(
            lanes: encoding.parallelism, segments: Int((videoSeconds / max(1, segmentSeconds)).rounded(.up)))
    }
}

import VTXMedia
import VTXTask

/// Decides where the video is cut into segments: at random access points that are far enough apart.
///
/// A late cut does not move the ones after it, so the number of segments stays as planned, and lanes finish together.
///
/// In open GOPs, pictures that follow a random access point in decoding order are shown before it and refer to pictures
/// before it: the previous segment shows those. Each packet is shown by one segment, so each frame is in the output
/// once. Pure; packets in decoding order, in ticks of one time base.
struct SegmentCutter: Sendable {
    /// All limits.
    enum Limits {
        /// The minimum duration of a segment, in seconds. Each one begins with a key frame that a single encoder might
        /// not have chosen.
        static let minSeconds = Double(ParallelRequest.segmentSeconds)
    }

    /// What to do with a packet.
    struct Placement: Sendable, Hashable {
        /// Whether it begins a segment.
        var begins = false
        /// Whether the previous segment also needs it.
        var isShared = false
        /// Whether the previous segment, of the two that get it, shows it.
        var isLeading = false
    }

    /// Where the cuts are planned.
    private enum Schedule {
        /// At equal distances.
        case every(Int64)
        case at([Int64])
    }

    private let schedule: Schedule
    private let minLength: Int64
    /// No cut is made up to this time.
    private let earliest: Int64?
    private var start: Int64?
    /// The time of the first packet.
    private var origin: Int64 = 0
    /// The time of the next planned cut.
    private var next: Int64 = 0
    /// The latest display time of all packets.
    private var latest: Int64?
    /// The beginning of the segment, while pictures shown earlier may still arrive.
    private var boundary: Int64?
    private var isEnded = false

    /// - Parameters:
    ///   - seconds: The duration of a segment, as far as random access points allow.
    ///   - earliest: No cut is made up to this time; nil for no limit.
    init(timeBase: Rational, seconds: Double = Limits.minSeconds, after earliest: MediaTime? = nil) {
        schedule = .every(max(1, MediaTime(seconds: seconds).rescaled(to: timeBase).ticks))
        minLength = MediaTime(seconds: Limits.minSeconds).rescaled(to: timeBase).ticks
        self.earliest = earliest?.rescaled(to: timeBase).ticks
    }

    /// Creates a cutter for segments whose starts are known. A run that resumes cuts at the same places.
    init(timeBase: Rational, starts: [SegmentQuality], after earliest: MediaTime? = nil) {
        (schedule, minLength) = (.at(starts.map { $0.ticks(in: timeBase) }), 0)
        self.earliest = earliest?.rescaled(to: timeBase).ticks
    }

    /// - Parameter isRandomAccess: Called only where a segment may begin.
    mutating func place(_ times: PacketTimes, isRandomAccess: () -> Bool) -> Placement {
        // A frame without a time gets one from the frames before it.
        guard !isEnded, let pts = times.pts else { return Placement() }
        defer { latest = max(pts, latest ?? pts) }
        if mayBegin(at: pts), isRandomAccess() {
            begin(at: pts)
            return Placement(begins: true, isShared: isBeforeBoundary(times))
        }
        if start == nil { (start, origin, next) = (pts, pts, nextCut(after: pts, from: pts)) }
        guard let boundary, isBeforeBoundary(times) else {
            boundary = nil
            return Placement()
        }
        return Placement(isShared: true, isLeading: pts < boundary)
    }

    /// Ends cutting.
    mutating func end() { (isEnded, boundary) = (true, nil) }

    private mutating func begin(at pts: Int64) {
        (start, boundary) = (pts, pts)
        next = nextCut(after: pts, from: origin)
    }

    private func nextCut(after pts: Int64, from origin: Int64) -> Int64 {
        switch schedule {
        case .every(let length): pts - (pts - origin) % length + length
        case .at(let starts): starts.first { $0 > max(pts, earliest ?? pts) } ?? .max
        }
    }

    private func mayBegin(at pts: Int64) -> Bool {
        guard boundary == nil, let start, let latest, pts > latest, pts >= next else { return false }
        return pts - start >= minLength && earliest.map { pts > $0 } ?? true
    }

    /// Whether a picture may be shown before the boundary because it is decoded before it. Without decoding times,
    /// leading pictures are assumed to follow immediately.
    private func isBeforeBoundary(_ times: PacketTimes) -> Bool {
        guard let boundary, let pts = times.pts else { return false }
        return times.dts.map { $0 < boundary } ?? (pts <= boundary)
    }
}

extension SegmentCutter {
    /// Returns the duration of segments that gives each lane the same number.
    ///
    /// - Parameter video: The duration of the video, in seconds; nil if unknown.
    static func seconds(of video: Double?, lanes: Int) -> Double {
        guard let video else { return Limits.minSeconds }
        let rounds = max(1, (video / (Limits.minSeconds * Double(lanes))).rounded(.down))
        return max(Limits.minSeconds, video / (rounds * Double(lanes)))
    }
}

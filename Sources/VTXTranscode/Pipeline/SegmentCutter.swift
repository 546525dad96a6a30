import VTXMedia
import VTXTask

/// Decides where the video is cut into segments: at random access points that are far enough apart.
///
/// A cut that comes late does not move the ones after it: segments stay as many as were meant, and lanes end together.
///
/// Where groups are open, pictures that follow a random access point in decoding order are shown before it and refer to
/// pictures before it: those are shown by the segment before. Each packet is shown by one segment, so each frame is in the
/// output once. Pure; packets in decoding order, in ticks of one time base.
struct SegmentCutter: Sendable {
    /// All limits.
    enum Limits {
        /// Seconds of a segment, at least. Each begins with a key frame that a single encoder may not have made there.
        static let minSeconds = Double(ParallelRequest.segmentSeconds)
    }

    /// What becomes of a packet.
    struct Placement: Sendable, Hashable {
        /// A segment begins with it.
        var begins = false
        /// The segment before needs it too.
        var isShared = false
        /// Of those two, the segment before shows it.
        var isLeading = false
    }

    private let (length, minLength): (Int64, Int64)
    /// There is no cut up to this time.
    private let earliest: Int64?
    private var start: Int64?
    /// From when on the next one is wanted.
    private var next: Int64 = 0
    /// When the latest of all packets is shown.
    private var latest: Int64?
    /// When the segment begins, as long as pictures may come that are shown before.
    private var boundary: Int64?
    private var isEnded = false

    /// - Parameters:
    ///   - seconds: of a segment, as far as random access points allow it.
    ///   - earliest: no cut is made up to this time; nil for from the beginning.
    init(timeBase: Rational, seconds: Double = Limits.minSeconds, after earliest: MediaTime? = nil) {
        length = max(1, MediaTime(seconds: seconds).rescaled(to: timeBase).ticks)
        minLength = MediaTime(seconds: Limits.minSeconds).rescaled(to: timeBase).ticks
        self.earliest = earliest?.rescaled(to: timeBase).ticks
    }

    /// - Parameter isRandomAccess: asked only where a segment may begin.
    mutating func place(_ times: PacketTimes, isRandomAccess: () -> Bool) -> Placement {
        // A frame without a time gets one from the frames before it.
        guard !isEnded, let pts = times.pts else { return Placement() }
        defer { latest = max(pts, latest ?? pts) }
        if mayBegin(at: pts), isRandomAccess() {
            begin(at: pts)
            return Placement(begins: true, isShared: isBeforeBoundary(times))
        }
        if start == nil { (start, next) = (pts, pts + length) }
        guard let boundary, isBeforeBoundary(times) else {
            boundary = nil
            return Placement()
        }
        return Placement(isShared: true, isLeading: pts < boundary)
    }

    /// No more cuts are made.
    mutating func end() { (isEnded, boundary) = (true, nil) }

    private mutating func begin(at pts: Int64) {
        (start, boundary) = (pts, pts)
        next = pts - (pts - next) % length + length
    }

    private func mayBegin(at pts: Int64) -> Bool {
        guard boundary == nil, let start, let latest, pts > latest, pts >= next else { return false }
        return pts - start >= minLength && earliest.map { pts > $0 } ?? true
    }

    /// What is decoded before a picture is shown may be shown before it. Without decoding times, leading pictures follow at
    /// once.
    private func isBeforeBoundary(_ times: PacketTimes) -> Bool {
        guard let boundary, let pts = times.pts else { return false }
        return times.dts.map { $0 < boundary } ?? (pts <= boundary)
    }
}

extension SegmentCutter {
    /// How long segments are to be, so that each lane has as many as the others.
    ///
    /// - Parameter video: its length in seconds; nil where it is not known.
    static func seconds(of video: Double?, lanes: Int) -> Double {
        guard let video else { return Limits.minSeconds }
        let rounds = max(1, (video / (Limits.minSeconds * Double(lanes))).rounded(.down))
        return max(Limits.minSeconds, video / (rounds * Double(lanes)))
    }
}

/// The segments of a fragmented file, each of one or more fragments. Pure.
struct SegmentList: Sendable, Hashable {
    struct MediaSegment: Sendable, Hashable {
        var bytes: Range<Int64>
        /// In seconds.
        var start: Double
        var duration: Double

        var bitrate: Double { duration > 0 ? Double(bytes.count) * 8 / duration : 0 }
    }

    var file: String
    /// The byte range before the segments.
    var header: Range<Int64>
    var segments: [MediaSegment]
    /// The first sample of each fragment; for video, the key frames.
    var keyFrames: [MediaSegment]

    /// - Parameter seconds: The segment duration. A segment begins with the first fragment at or after a multiple of
    ///   it.
    init(_ index: FragmentIndex, file: String, every seconds: Double) {
        (self.file, header) = (file, index.header)
        (segments, keyFrames) = ([], [])
        var next = -Double.infinity
        for (number, fragment) in index.fragments.enumerated() {
            let start = index.start(of: number)
            let end = number + 1 < index.fragments.count ? index.start(of: number + 1) : index.end
            keyFrames.append(
                MediaSegment(
                    bytes: fragment.bytes.lowerBound..<fragment.firstSampleEnd, start: start, duration: end - start))
            if start >= next - Self.tolerance {
                segments.append(MediaSegment(bytes: fragment.bytes, start: start, duration: end - start))
                next = ((start + Self.tolerance) / seconds).rounded(.down) * seconds + seconds
            } else {
                let last = segments.count - 1
                segments[last].bytes = segments[last].bytes.lowerBound..<fragment.bytes.upperBound
                segments[last].duration = end - segments[last].start
            }
        }
    }

    /// The tolerance in seconds: an audio packet begins near the time, and times are sums of fractions.
    private static let tolerance = 0.05

    var duration: Double { (segments.last.map { $0.start + $0.duration } ?? 0) - (segments.first?.start ?? 0) }
    /// The duration of the longest segment, in whole seconds (RFC 8216, 4.3.3.1).
    var targetDuration: Int { Int((Self.inTime(segments).map(\.duration).max() ?? 0).rounded()) }

    /// Returns the segments with the durations of an HLS playlist, which has no start times: the first one lasts from
    /// the beginning of the presentation, so that a track that begins late is in time with the others.
    static func inTime(_ segments: [MediaSegment]) -> [MediaSegment] {
        var segments = segments
        if let start = segments.first?.start, start > 0 { segments[0].duration += start }
        return segments
    }

    /// The average bit rate of all segments, in bits per second.
    var averageBitrate: Double {
        duration > 0 ? segments.reduce(0) { $0 + Double($1.bytes.count) * 8 } / duration : 0
    }

    /// The maximum bit rate of any consecutive segments that together last 0.5 to 1.5 times the target duration (RFC
    /// 8216, 4.3.4.2).
    func peakBitrate(target: Int) -> Double {
        let range = 0.5 * Double(target)...1.5 * Double(target)
        var peak = 0.0
        for first in segments.indices {
            var (bits, seconds) = (0.0, 0.0)
            for segment in segments[first...] {
                bits += Double(segment.bytes.count) * 8
                seconds += segment.duration
                if seconds > range.upperBound { break }
                if range.contains(seconds) { peak = max(peak, bits / seconds) }
            }
        }
        // A last segment, or a whole file, may be shorter.
        return peak > 0 ? peak : segments.map(\.bitrate).max() ?? 0
    }
}

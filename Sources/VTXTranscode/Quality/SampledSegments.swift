import VTXFFmpeg
import VTXMedia
import VTXTask

/// A segment of the video that gets a quality of its own, and the samples with which it is found.
struct SampledSegment: Sendable, Hashable {
    /// In seconds of output time.
    var start: Double
    var duration: Double
    var samples: QualitySamples

    /// Whether everything is a sample.
    var isWhole: Bool { samples.duration >= duration }
}

/// Divides the video into the segments in which it will be encoded.
struct SampledSegments {
    /// What a trial encodes of the video: this many seconds, or this share if that is more, in this number of samples of
    /// each segment.
    private static let (seconds, share, count) = (75.0, 0.25, 2)
    /// A key frame may be this much before its planned time, in seconds: its decoding time is.
    private static let early = 0.5

    /// - Parameters:
    ///   - video: The duration of the video, in seconds.
    ///   - keyFrames: The key frames at which segments can begin, in seconds from the beginning; nil if unknown.
    /// - Returns: the start of each segment, in seconds from the beginning.
    static func starts(of video: Double, lanes: Int, keyFrames: [Double]?) -> [Double] {
        let length = SegmentCutter.seconds(of: video, lanes: lanes)
        let least = SegmentCutter.Limits.minSeconds
        var starts = [0.0]
        for wanted in stride(from: length, to: video - least / 2, by: length) {
            guard let last = starts.last, last < wanted else { continue }
            let earliest = max(wanted - early, last + least - early)
            guard let start = keyFrames.map({ $0.first { $0 >= earliest } }) ?? wanted, start < video - least / 2
            else { break }
            starts.append(start)
        }
        return starts
    }

    /// - Parameters:
    ///   - start: The beginning in the time of a request.
    ///   - origin: The beginning in output time.
    static func segments(
        from starts: [Double], of video: Double, requestedFrom start: Double, origin: Double
    ) -> [SampledSegment] {
        zip(starts, starts.dropFirst() + [video]).map { own, next in
            let budget = max(seconds / Double(starts.count), (next - own) * share)
            let samples = QualitySamples(
                from: start + own, length: next - own, count: count, seconds: budget / Double(count))
            return SampledSegment(start: origin + own, duration: next - own, samples: samples)
        }
    }
}

extension SampledSegments {
    /// - Returns: a single segment if the video is not cut, or its duration is unknown.
    static func all(of request: TranscodeRequest, _ prepared: PreparedTranscode) -> [SampledSegment] {
        let (plan, source) = (prepared.plan, prepared.source)
        let origin = plan.timestamps.start ?? (source.demuxer.startTime?.seconds ?? 0) - plan.timestamps.offset.seconds
        guard let video = plan.timestamps.expectedSeconds, plan.video.isCut else {
            let samples = QualitySamples(of: request, length: plan.timestamps.expectedSeconds)
            let duration = plan.timestamps.expectedSeconds ?? samples.duration
            return [SampledSegment(start: origin, duration: duration, samples: samples)]
        }
        let begin = origin + plan.timestamps.offset.seconds
        // Of several files, the index is that of the first one.
        let indexed = source.isJoined ? nil : source.indexedKeyFrames(seconds: source.exactSeconds)
        let keyFrames = indexed?.map {
            MediaTime($0, source.video.timeBase).seconds - begin
        }
        let starts = starts(of: video, lanes: plan.video.parallelism, keyFrames: keyFrames)
        return segments(from: starts, of: video, requestedFrom: request.start ?? 0, origin: origin)
    }
}

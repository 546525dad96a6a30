import VTXMedia
import VTXTask

/// The quality that a search has found for a segment.
struct FoundSegment: Sendable, Hashable {
    /// In seconds of output time.
    var start: Double
    var quality: Quality
    /// False if the best quality misses the target.
    var isReached: Bool
    /// Whether the whole segment was tried.
    var isWhole: Bool
    var samples: SampleEstimate
    /// The numbers of samples and of their trials.
    var (parts, trials): (Int, Int)
    /// The projected size.
    var byteCount: Double

    /// - Returns: nil without trials.
    init?(_ segment: SampledSegment, at quality: Double, isReached: Bool, _ trials: [SampleEstimate.Trial]) {
        guard let samples = SampleEstimate(at: quality, from: trials) else { return nil }
        (start, self.quality, self.isReached) = (segment.start, Quality(quality) ?? .standard, isReached)
        (isWhole, self.samples) = (segment.isWhole, samples)
        (parts, self.trials) = (segment.samples.parts.count, trials.count)
        byteCount = samples.byteCount * max(1, segment.duration / max(0.001, segment.samples.duration))
    }
}

/// The result of a search: a quality for each segment, or one for the whole video.
struct FoundQuality: Sendable, Hashable {
    let target: QualityTarget
    let segments: [FoundSegment]

    /// The maximum distance below the median of a quality that was found with samples: a segment may have other
    /// pictures beside them. It is 10 CRF.
    private static let reach = 25.0

    init(_ target: QualityTarget, _ segments: [FoundSegment]) {
        self.target = target
        let sorted = segments.map(\.quality.value).sorted()
        let least = (sorted.isEmpty ? 0 : sorted[sorted.count / 2]) - Self.reach
        self.segments = segments.map { segment in
            var segment = segment
            if !segment.isWhole { segment.quality = Quality(max(least, segment.quality.value)) ?? segment.quality }
            return segment
        }
    }

    /// The highest.
    var quality: Quality { segments.map(\.quality).max { $0.value < $1.value } ?? .standard }

    /// Empty if there is only one.
    var ofSegments: [SegmentQuality] {
        segments.count > 1 ? segments.map { SegmentQuality(start: $0.start, quality: $0.quality) } : []
    }

    var notice: Notice {
        let trials = segments.reduce(0) { $0 + $1.trials }
        return Notice(
            .qualityFound,
            "\(qualities) for \(target): \(target.metric.name) is \(scores) in \(samples), "
                + "after \(counted(trials, "trial", "trials")); about \(size) of video\(missed)")
    }

    private var size: String {
        let megabytes = segments.reduce(0) { $0 + $1.byteCount } / 1_000_000
        if megabytes < 1 { return "\(Int((megabytes * 1000).rounded(.up))) kB" }
        return megabytes < 10 ? "\((megabytes * 100).rounded() / 100) MB" : "\(Int(megabytes.rounded())) MB"
    }

    private var qualities: String {
        let values = segments.map(\.quality.value)
        return "quality \(Self.range(values, Self.plain))"
            + (segments.count > 1 ? " in \(segments.count) parts of the video" : "")
    }

    private var scores: String {
        let isMeasured = segments.allSatisfy(\.samples.isMeasured)
        return (isMeasured ? "" : "about ") + Self.range(segments.map(\.samples.score), target.metric.text)
    }

    private var samples: String {
        if segments.count > 1, segments.allSatisfy(\.isWhole) { return "each" }
        return counted(segments.reduce(0) { $0 + $1.parts }, "sample", "samples")
    }

    private var missed: String {
        let count = segments.count { !$0.isReached }
        return count > 0 ? "; \(counted(count, "part misses", "parts miss")) it at the best quality" : ""
    }

    private static func range(_ values: [Double], _ text: (Double) -> String) -> String {
        let (least, most) = (text(values.min() ?? 0), text(values.max() ?? 0))
        return least == most ? least : "\(least) to \(most)"
    }

    private static func plain(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
}

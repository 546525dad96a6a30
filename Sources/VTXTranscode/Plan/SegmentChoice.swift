import VTXMedia
import VTXTask

/// The number of segments into which the workers of a cluster divide the video. Pure.
struct SegmentChoice: Sendable, Hashable {
    /// 1 if it is not divided.
    var count = 1
    var reason: Message

    /// - Parameters:
    ///   - seconds: The duration of the video; nil if unknown.
    ///   - obstacle: Why it cannot be divided.
    static func choose(_ request: SegmentsRequest, seconds: Double?, obstacle: Message?) -> SegmentChoice {
        if request == .standard { return SegmentChoice(reason: "requested") }
        if let obstacle { return SegmentChoice(reason: obstacle) }
        guard let seconds else { return SegmentChoice(reason: "the video's length is not known") }
        let most = Int(seconds / Double(ParallelRequest.segmentSeconds))
        guard most > 1 else {
            return SegmentChoice(reason: "it is shorter than two segments of \(ParallelRequest.segmentSeconds) s")
        }
        switch request {
        case .count(let count): return SegmentChoice(count: min(count, most), reason: "requested")
        case .auto where seconds < Double(SegmentsRequest.minSeconds):
            return SegmentChoice(reason: "it is shorter than \(SegmentsRequest.minSeconds / 60) minutes")
        case .auto: return SegmentChoice(count: SegmentsRequest.standardCount, reason: "the workers share them")
        }
    }
}

extension SegmentChoice {
    /// Decides, and notes the decision if it was requested.
    static func choose(
        _ request: TranscodeRequest, _ video: VideoEncoding, _ source: Source, seconds: Double?,
        _ notes: inout PlanNotes
    ) -> SegmentChoice {
        switch (request.segmentedWork, request.segments) {
        case (.segment(_, let count), _): return SegmentChoice(count: count, reason: "another worker joins them")
        // All that are there have to be joined, whatever could be decided now.
        case (.join, .count(let count)): return SegmentChoice(count: count, reason: "other workers encode them")
        default: break
        }
        guard request.segments != .standard else { return SegmentChoice(reason: "the default") }
        let search: Message? = request.target == nil ? nil : "the quality is searched for first"
        let choice = choose(
            request.segments, seconds: seconds, obstacle: search ?? ParallelChoice.obstacle(video, source))
        notes.decide(
            "segments", "\(choice.count) for the workers of a cluster", because: choice.reason)
        return choice
    }
}

extension VideoEncoding {
    /// Gives each segment its quality.
    mutating func apply(_ qualities: [SegmentQuality]) {
        segmentQualities = qualities
        encoder.hasUniformParameterSets = !qualities.isEmpty
    }

    /// Restricts the encoders of all workers to one decoding order, that of GPUs.
    mutating func apply(_ choice: SegmentChoice, mayUseHardware: Bool) {
        segments = choice.count
        guard choice.count > 1 else { return }
        (parallelism, laneDevices) = (1, [])
        if mayUseHardware { keepReorderingOfHardware() }
    }
}

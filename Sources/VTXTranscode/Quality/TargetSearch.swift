import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Searches for the quality at which the output reaches a target of a quality metric: one for the whole video, or one
/// for each segment if it is encoded in segments.
struct TargetSearch: Sendable {
    private let target: QualityTarget
    private let plan: TranscodePlan
    private let trial: QualityTrial
    private let segments: [SampledSegment]
    /// Whether the output changes with each step of the quality; GPUs and SVT-AV1 have whole quantizers.
    private let isContinuous: Bool
    private let progress: SearchProgress

    /// - Parameter prepared: The transcode at any quality.
    init(
        _ target: QualityTarget, _ request: TranscodeRequest, _ prepared: PreparedTranscode,
        backends: [any VideoBackend], after failures: HardwareFailures, cancellation: Cancellation,
        report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        (self.target, plan) = (target, prepared.plan)
        isContinuous = prepared.plan.video.encoding.map { $0.device.name == "software" && $0.codec != .av1 } ?? false
        var request = request
        // The bars of a sample are not those of all.
        request.crop = prepared.plan.video.encoding?.filter.crop.map { .region($0.shown(of: prepared.source)) }
        segments = SampledSegments.all(of: request, prepared)
        trial = QualityTrial(
            request: request, backends: backends, failures: failures, metric: target.metric, cancellation: cancellation)
        progress = SearchProgress(
            frameRate: plan.video.frameRate.value, samples: segments.reduce(0) { $0 + $1.samples.duration },
            usualTrials: isContinuous ? 3 : 4, report)
    }

    /// - Throws: `.targetMetric`, `.targetUnreachable`, and the errors of the pipeline.
    func find() throws -> FoundQuality {
        guard PictureComparison.isAvailable(target.metric) else {
            throw TranscodeError(
                .targetMetric, "\(option: .target, "\(target)"): this libavfilter cannot measure \(target.metric.name)",
                hint: QualityMetric.availableHint(without: target.metric))
        }
        var (found, work) = ([FoundSegment](), SearchProgress.Work())
        for segment in segments {
            // Neighbors are often alike.
            if let one = try find(segment, from: found.last?.quality ?? .standard, &work) { found.append(one) }
        }
        let reached = FoundQuality(target, found)
        if found.isEmpty { throw Self.noPictures(plan) }
        if !found.contains(where: \.isReached) { throw unreachable(reached) }
        return reached
    }

    /// - Returns: nil for a segment without pictures.
    private func find(
        _ segment: SampledSegment, from first: Quality, _ work: inout SearchProgress.Work
    ) throws -> FoundSegment? {
        var search = QualitySearch(target: target, isContinuous: isContinuous, from: first)
        var trials: [SampleEstimate.Trial] = []
        while true {
            switch search.next {
            case .found(let quality): return FoundSegment(segment, at: quality, isReached: true, trials)
            case .unreachable: return FoundSegment(segment, at: 100, isReached: false, trials)
            case .tries(let value):
                let quality = Quality(value) ?? .standard
                let result = try trial.run(on: segment.samples, at: quality) { progress.send($0, after: work) }
                work.seconds += segment.samples.duration
                guard let score = result.score.mean else { return nil }
                trials.append(.init(quality: value, score: score, byteCount: result.byteCount))
                search.note(target.metric.decibels(score), at: value)
            }
        }
    }

    private func unreachable(_ found: FoundQuality) -> TranscodeError {
        let best = found.segments.map(\.samples.score).max() ?? 0
        let isLimited = plan.video.encoding?.encoder.rateControl.max != nil
        let limit: Message = isLimited ? " or a higher \(option: .maxBitrate)" : ""
        return TranscodeError(
            .targetUnreachable,
            "\(option: .target, "\(target)") cannot be reached: the best quality reaches \(target.metric.text(best))",
            hint: "use a lower target\(limit); it is measured against the filtered source")
    }

    private static func noPictures(_ plan: TranscodePlan) -> TranscodeError {
        TranscodeError(.internal, "'\(plan.input)': the samples have no pictures to measure")
    }
}

/// Reports how far a search is.
struct SearchProgress: Sendable {
    /// What has been encoded.
    struct Work {
        /// Of samples, in completed trials.
        var seconds = 0.0
        let start = ContinuousClock.now
    }

    private let frameRate: Double
    private let samples: Double
    private let usualTrials: Double
    private let report: @Sendable (TranscodeEvent) -> Void

    /// - Parameters:
    ///   - samples: The duration of all samples, in seconds.
    ///   - usualTrials: The usual number of trials of each sample.
    init(
        frameRate: Double, samples: Double, usualTrials: Double, _ report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        (self.frameRate, self.samples) = (frameRate, samples)
        (self.usualTrials, self.report) = (usualTrials, report)
    }

    /// - Parameter frames: The number of frames of the current trial.
    func send(_ frames: Int, after work: Work) {
        let seconds = work.seconds + min(samples, Double(frames) / max(1, frameRate))
        report(
            .progress(
                Progress(
                    phase: .searching, frames: frames, totalFrames: nil, seconds: seconds,
                    totalSeconds: max(usualTrials * samples, seconds),
                    elapsedSeconds: (ContinuousClock.now - work.start) / .seconds(1), bytes: 0)))
    }
}

extension QualityMetric {
    /// The metrics that libavfilter has, and what the missing one requires.
    static func availableHint(without missing: QualityMetric) -> Message {
        let known = allCases.filter(PictureComparison.isAvailable).map(\.name).joined(separator: ", ")
        switch missing {
        case .vmaf: return "available: \(known); VMAF requires an FFmpeg built with libvmaf, which Debian's is not"
        case .xpsnr: return "available: \(known); XPSNR requires FFmpeg 7.1"
        case .ssim, .psnr: return "available: \(known)"
        }
    }
}

extension PictureCrop {
    /// The region in the form of a request.
    fileprivate func shown(of source: Source) -> PixelRegion {
        region.rotated(by: source.displayMatrix?.orientation ?? .upright, in: whole)
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Searches for the quality at which the output reaches a target of a quality metric.
struct TargetSearch: Sendable {
    private let target: QualityTarget
    private let plan: TranscodePlan
    private let trial: QualityTrial
    /// Whether the output changes with each step of the quality; GPUs and SVT-AV1 have whole quantizers.
    private let isContinuous: Bool
    private let report: @Sendable (TranscodeEvent) -> Void

    /// The usual number of trials, for the progress.
    private var usualTrials: Double { isContinuous ? 3 : 4 }

    /// - Parameter prepared: The transcode at any quality.
    init(
        _ target: QualityTarget, _ request: TranscodeRequest, _ prepared: PreparedTranscode,
        backends: [any VideoBackend], after failures: HardwareFailures, cancellation: Cancellation,
        report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        (self.target, plan, self.report) = (target, prepared.plan, report)
        isContinuous = prepared.plan.video.encoding.map { $0.device.name == "software" && $0.codec != .av1 } ?? false
        var request = request
        // The bars of a sample are not those of all.
        request.crop = prepared.plan.video.encoding?.filter.crop.map { .region($0.shown(of: prepared.source)) }
        trial = QualityTrial(
            request: request, backends: backends, failures: failures,
            samples: QualitySamples(of: request, length: prepared.plan.timestamps.expectedSeconds),
            metric: target.metric, cancellation: cancellation)
    }

    /// - Throws: `.targetMetric`, `.targetUnreachable`, and the errors of the pipeline.
    func find() throws -> FoundQuality {
        guard PictureComparison.isAvailable(target.metric) else {
            throw TranscodeError(
                .targetMetric, "\(option: .target, "\(target)"): this libavfilter cannot measure \(target.metric.name)",
                hint: QualityMetric.availableHint(without: target.metric))
        }
        var search = QualitySearch(target: target, isContinuous: isContinuous)
        var trials: [SampleEstimate.Trial] = []
        let start = ContinuousClock.now
        while true {
            switch search.next {
            case .found(let quality): return try found(quality, trials)
            case .unreachable: throw unreachable(trials)
            case .tries(let value):
                let done = Double(search.trials.count)
                let result = try trial.run(at: Quality(value) ?? .standard) { frames in
                    send(frames, trialsDone: done, since: start)
                }
                guard let score = result.score.mean else { throw Self.noPictures(plan) }
                trials.append(.init(quality: value, score: score, byteCount: result.byteCount))
                search.note(target.metric.decibels(score), at: value)
            }
        }
    }

    private func found(_ quality: Double, _ trials: [SampleEstimate.Trial]) throws -> FoundQuality {
        guard let samples = SampleEstimate(at: quality, from: trials) else { throw Self.noPictures(plan) }
        let seconds = plan.timestamps.expectedSeconds ?? trial.samples.duration
        let bytes = samples.byteCount * max(1, seconds / max(0.001, trial.samples.duration))
        return FoundQuality(
            quality: Quality(quality) ?? .standard, target: target, samples: samples, parts: trial.samples.parts.count,
            trials: trials.count, videoBytes: Int64(bytes))
    }

    private func unreachable(_ trials: [SampleEstimate.Trial]) -> TranscodeError {
        let best = trials.map(\.score).max() ?? 0
        return TranscodeError(
            .targetUnreachable,
            "\(option: .target, "\(target)") cannot be reached: the best quality reaches \(target.metric.text(best))",
            hint: "use a lower target; it is measured against the filtered source")
    }

    private static func noPictures(_ plan: TranscodePlan) -> TranscodeError {
        TranscodeError(.internal, "'\(plan.input)': the samples have no pictures to measure")
    }

    private func send(_ frames: Int, trialsDone: Double, since start: ContinuousClock.Instant) {
        let rate = plan.video.frameRate.value
        let whole = trial.samples.duration
        let seconds = min(whole, Double(frames) / max(1, rate)) + trialsDone * whole
        report(
            .progress(
                Progress(
                    phase: .searching, frames: frames, totalFrames: nil, seconds: seconds,
                    totalSeconds: max(usualTrials, trialsDone + 1) * whole,
                    elapsedSeconds: (ContinuousClock.now - start) / .seconds(1), bytes: 0)))
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

/// The result of a search.
struct FoundQuality: Sendable, Hashable {
    var quality: Quality
    var target: QualityTarget
    var samples: SampleEstimate
    var parts: Int
    var trials: Int
    /// The projected size of the whole video.
    var videoBytes: Int64

    var notice: Notice {
        let size = Double(videoBytes) / 1_000_000
        let rounded = size < 10 ? "\((size * 100).rounded() / 100)" : "\(Int(size.rounded()))"
        return Notice(
            .qualityFound,
            "quality \(plain(quality.value)) for \(target): \(target.metric.name) is \(score) in "
                + "\(counted(parts, "sample", "samples")), after \(counted(trials, "trial", "trials")); "
                + "about \(rounded) MB of video")
    }

    private var score: String { (samples.isMeasured ? "" : "about ") + target.metric.text(samples.score) }

    private func plain(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }
}

extension PictureCrop {
    /// The region in the form of a request.
    fileprivate func shown(of source: Source) -> PixelRegion {
        region.rotated(by: source.displayMatrix?.orientation ?? .upright, in: whole)
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// The result of encoding the samples at a quality.
struct TrialResult: Sendable, Hashable {
    var score: QualityScore
    /// The size of the video.
    var byteCount = 0
}

/// Encodes samples of the source as the transcode would, and measures the result. Writes nothing.
///
/// It uses the plan and pipeline of the transcode, so filters, device and encoder are the same.
struct QualityTrial: Sendable {
    let request: TranscodeRequest
    let backends: [any VideoBackend]
    let failures: HardwareFailures
    let metric: QualityMetric
    let cancellation: Cancellation

    /// - Parameter progress: Called with the number of frames encoded.
    /// - Throws: the errors of the pipeline.
    func run(on samples: QualitySamples, at quality: Quality, progress: (Int) -> Void) throws -> TrialResult {
        let comparison = PictureComparison(metric)
        var (byteCount, frames) = (0, 0)
        for part in samples.parts {
            let prepared = try TranscodePreparation(sample(part, quality), backends: backends, after: failures)
                .prepare()
            backends.forEach { $0.closeIdleDevices() }
            guard let encoding = prepared.encoding else { continue }
            let encoder = MeasuredEncoder(
                encoding.stages.encoder, timeBase: prepared.plan.video.timeBase, comparison)
            let dry = DryRun(prepared.replacing(encoder, in: encoding), cancellation)
            try dry.run { progress(frames + dry.ledger.frameCount) }
            byteCount += encoder.byteCount
            frames += dry.ledger.frameCount
        }
        return TrialResult(score: comparison.score, byteCount: byteCount)
    }

    /// Returns the request for the video of one part of the source, without anything that applies to a whole output.
    private func sample(_ part: QualitySamples.Part, _ quality: Quality) -> TranscodeRequest {
        var request = request.ofVideoAlone
        (request.start, request.duration) = (part.start, part.duration)
        (request.target, request.quality, request.segmentQualities) = (nil, quality, [])
        (request.journal, request.maxSizeRatio, request.verification) = (nil, nil, .off)
        (request.parallelism, request.forbidsDowngrades) = (.count(1), false)
        return request
    }
}

extension TranscodeRequest {
    /// The request without the streams beside the video.
    var ofVideoAlone: TranscodeRequest {
        var request = self
        (request.selection.audio, request.selection.subtitles) = (.none, .none)
        (request.selection.data, request.selection.attachments) = (.none, .none)
        (request.addedAudio, request.addedSubtitles, request.audioTracks) = ([], [], [])
        return request
    }
}

extension PreparedTranscode {
    fileprivate func replacing(_ encoder: any VideoEncoder, in encoding: PreparedEncoding) -> PreparedTranscode {
        let (stages, plan) = (encoding.stages, encoding.plan)
        var copy = self
        let measured = OpenedStages(
            sessions: stages.sessions, decoder: stages.decoder, filter: stages.filter, encoder: encoder,
            recoveries: stages.recoveries)
        copy.encoding = PreparedEncoding(plan: plan, stages: measured)
        return copy
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The gains of normalized audio, with what they were measured for.
struct LoudnessGains: Sendable {
    /// By the stream's index in the output, without a gain.
    let settings: [Int: AudioEncoderSettings]
    let gains: [Int: LoudnessGain]
}

/// Measures the audio of a transcode, and finds the gain of each stream whose loudness is normalized.
struct LoudnessSearch {
    private let plan: TranscodePlan
    private let open: () throws -> Source
    private let cancellation: Cancellation
    private let report: @Sendable (TranscodeEvent) -> Void
    private let start = ContinuousClock.now

    /// - Parameter open: Opens the source again.
    init(
        _ plan: TranscodePlan, _ cancellation: Cancellation, _ report: @escaping @Sendable (TranscodeEvent) -> Void,
        open: @escaping () throws -> Source
    ) { (self.plan, self.cancellation, self.report, self.open) = (plan, cancellation, report, open) }

    /// - Throws: the errors of the pipeline.
    func find() throws -> LoudnessGains {
        let settings = plan.normalizedAudio
        var searches: [Int: GainSearch] = [:]
        for (index, measured) in try measure(settings.mapValues(\.withoutLoudness)) {
            guard let one = settings[index], let target = one.loudness else { continue }
            searches[index] = GainSearch(target: target, truePeakLimit: one.truePeakLimit, measured: measured)
        }
        while case let trials = searches.compactMapValues(\.next), !trials.isEmpty {
            for (index, reached) in try measure(settings.merging(trials)) { searches[index]?.note(reached) }
        }
        return LoudnessGains(settings: settings, gains: searches.mapValues(\.gain))
    }

    private func measure(_ settings: [Int: AudioEncoderSettings]) throws -> [Int: MeasuredLoudness] {
        try LoudnessPass(open(), plan, cancellation).measure(settings) { seconds in
            report(
                .progress(
                    Progress(
                        phase: .searching, frames: 0, totalFrames: nil, seconds: seconds,
                        totalSeconds: plan.timestamps.expectedSeconds,
                        elapsedSeconds: (ContinuousClock.now - start) / .seconds(1), bytes: 0)))
        }
    }
}

extension [Int: AudioEncoderSettings] {
    /// Returns only those that have a gain to try, with it.
    fileprivate func merging(_ trials: [Int: LoudnessGain]) -> Self {
        var result: Self = [:]
        for (index, gain) in trials {
            result[index] = self[index]
            result[index]?.loudnessGain = gain
        }
        return result
    }
}

extension AudioEncoderSettings {
    fileprivate var withoutLoudness: AudioEncoderSettings {
        var settings = self
        (settings.loudness, settings.loudnessGain) = (nil, nil)
        return settings
    }
}

extension TranscodePlan {
    /// The audio whose loudness is normalized, by its index in the output, without a gain.
    var normalizedAudio: [Int: AudioEncoderSettings] {
        var found: [Int: AudioEncoderSettings] = [:]
        for stream in streams {
            guard case .convertAudio(var settings) = stream.action, settings.loudness != nil,
                let index = stream.outputIndex
            else { continue }
            settings.loudnessGain = nil
            found[index] = settings
        }
        return found
    }
}

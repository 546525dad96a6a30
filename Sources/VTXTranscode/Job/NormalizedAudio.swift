import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

// Audio whose loudness is measured before it is normalized.
extension TranscodeJob {
    /// Adds the gains to the plan. Measures once for all attempts.
    func setLoudness(of prepared: inout PreparedTranscode, _ request: TranscodeRequest) throws(TranscodeError) {
        let settings = prepared.plan.normalizedAudio
        // The process that joins the segments has the audio.
        guard !settings.isEmpty, !(request.segmentedWork?.isSegment ?? false) else { return }
        if request.readsPipe { return prepared.plan.noteDynamicLoudness() }
        let known = loudnessGains.withLock { $0 } ?? journaledGains(for: prepared.plan)
        let found: LoudnessGains
        if let known, known.settings == settings {
            found = known
        } else {
            found = try measureLoudness(of: prepared, request)
        }
        loudnessGains.withLock { $0 = found }
        prepared.plan.apply(found.gains)
        guard !prepared.plan.ffmpegCommand.isEmpty else { return }
        let command = FFmpegCommand(prepared.plan, request, prepared.source, prepared.encoding)
        prepared.plan.ffmpegCommand = command.arguments
    }

    private func measureLoudness(
        of prepared: PreparedTranscode, _ request: TranscodeRequest
    ) throws(TranscodeError) -> LoudnessGains {
        let again = TranscodePreparation(request, backends: [])
        let derivesTimes = prepared.source.derivesTimes
        let search = LoudnessSearch(prepared.plan, cancellation, report) {
            let source = try again.open()
            if derivesTimes { source.derivePresentationTimes() }
            return source
        }
        do { return try search.find() } catch { throw explain(error, prepared.plan) }
    }

    /// Returns the gains of an earlier run: the audio of a resumed one is the same, and need not be measured again.
    private func journaledGains(for plan: TranscodePlan) -> LoudnessGains? {
        guard journal != nil, let then = journaledPlan(for: plan.output), then.input == plan.input,
            then.timestamps == plan.timestamps, then.streams.map(\.source) == plan.streams.map(\.source)
        else { return nil }
        var gains: [Int: LoudnessGain] = [:]
        for stream in then.streams {
            if case .convertAudio(let settings) = stream.action, let index = stream.outputIndex {
                gains[index] = settings.loudnessGain
            }
        }
        guard gains.count == then.normalizedAudio.count else { return nil }
        return LoudnessGains(settings: then.normalizedAudio, gains: gains)
    }
}

extension TranscodePlan {
    fileprivate mutating func apply(_ gains: [Int: LoudnessGain]) {
        for index in streams.indices {
            guard case .convertAudio(var settings) = streams[index].action, let target = settings.loudness,
                let gain = streams[index].outputIndex.flatMap({ gains[$0] })
            else { continue }
            settings.loudnessGain = gain
            streams[index].action = .convertAudio(settings)
            let words = GainWords(label: streams[index].source.label, target: target, settings: settings, gain: gain)
            streams[index].reason += "; \(words.measured), \(words.choice)"
            decisions.append(Decision("loudness", "\(words.label): \(words.choice)", because: words.reason))
            if let notice = words.notice { notices.append(Notice(.audioLoudness, notice)) }
        }
    }

    /// Standard input cannot be read twice.
    fileprivate mutating func noteDynamicLoudness() {
        let message: Message =
            "standard input cannot be measured first: \(option: .loudness) is dynamic, in one pass, and may miss its value by 2 LU"
        decisions.append(Decision("loudness", "dynamic, in one pass", because: "standard input cannot be read twice"))
        notices.append(Notice(.audioLoudness, message))
    }
}

/// A gain in words.
private struct GainWords {
    /// The stream.
    let label: String
    /// In LUFS.
    let target: Int
    let settings: AudioEncoderSettings
    let gain: LoudnessGain

    var choice: String {
        "gain \(decimal(gain.decibels)) dB" + (gain.limited == nil ? "" : ", true peak limited to \(limit)")
    }

    var measured: String {
        gain.measured.integrated.map { "\(decimal($0)) LUFS and \(decimal(gain.measured.truePeak)) dBTP measured" }
            ?? "silence measured"
    }

    var reason: Message {
        let reached = gain.limited?.integrated.map { ", \(decimal($0)) LUFS reached" } ?? ""
        return "\(target) LUFS requested, \(measured)\(reached)"
    }

    /// What is not plain gain.
    var notice: Message? {
        guard gain.measured.integrated != nil else {
            return "\(label) is silent or too short to measure: its loudness is left unchanged"
        }
        guard let reached = gain.limited?.integrated else { return nil }
        let peak = decimal(gain.measured.truePeak + gain.decibels)
        return
            "\(label): a gain of \(decimal(gain.decibels)) dB would make the true peak \(peak) dBTP; peaks are limited to \(limit), which reaches \(decimal(reached)) LUFS"
    }

    private var limit: String { "\(decimal(settings.truePeakLimit)) dBTP" }

    private func decimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
}

import VTXFFmpeg
import VTXMedia
import VTXTask

/// The requested processing of an audio stream.
struct AudioRequest {
    var coding: AudioChoice
    /// In bits per second; nil to derive it from codec and channel count.
    var bitrate: Int?
    /// The maximum number of channels.
    var channels: ChannelLimit?
    /// The target loudness, in LUFS.
    var loudness: Int?
    /// Why the audio changes, unless it was requested.
    var reason: String?

    /// Creates the request for all audio.
    init(_ request: TranscodeRequest) {
        (coding, bitrate) = (request.audio, request.audioBitrate)
        (channels, loudness) = (request.audioChannels, request.loudness)
    }

    /// - Parameter whole: The defaults for what the track does not set.
    init(_ track: AudioTrack, beside whole: AudioRequest) {
        self = whole
        // A copy is one: what is said of all audio would convert it.
        if track.coding == .copy { (bitrate, channels, loudness) = (nil, nil, nil) }
        coding = track.coding ?? coding
        bitrate = track.bitrate ?? bitrate
        channels = track.channels ?? channels
        loudness = track.loudness ?? loudness
    }

    /// Returns the changes to the samples other than the codec; nil for none.
    func change(of stream: InputStream) -> String? {
        if let reason { return reason }
        let changes = [
            channels.flatMap { stream.channelCount > $0.count ? "\($0.rawValue) at most" : nil },
            loudness.map { "\($0) LUFS" },
        ].compactMap(\.self)
        return changes.isEmpty ? nil : changes.joined(separator: " and ") + " requested"
    }
}

// The plan of the audio streams.
extension StreamChoice {
    func planAudio(
        _ stream: InputStream, _ audio: AudioRequest, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> StreamPlan {
        guard stream.isKnown else {
            return drop(stream, &notes, because: "its format cannot be detected in the first minutes of the file")
        }
        let change = audio.change(of: stream)
        switch audio.coding {
        case .encode(let wanted):
            guard rules.holdsAudio(wanted.rawValue) else { throw cannotHold(wanted).at(stream: stream.index) }
            if stream.codecName == wanted.rawValue, audio.bitrate == nil, change == nil { return copy(stream) }
            return try convert(stream, to: wanted, audio, because: audio.reason ?? "requested", &notes)
        case .copy where rules.holds(stream.info) && change == nil:
            if audio.bitrate != nil {
                notes.note(
                    .audioBitrate,
                    "\(option: .audioBitrate) has no effect on \(stream.label), which is copied")
            }
            return copy(stream)
        case .copy:
            let codec = change == nil ? rules.audio(insteadOf: stream) : rules.usualAudio
            guard let codec, stream.parameters.hasDecoder else {
                return drop(stream, &notes, because: change.map { "\($0), and it cannot be converted" })
            }
            return try convert(
                stream, to: codec, audio, because: change ?? rules.reason(against: stream.codecName), &notes)
        case .none: return drop(stream, &notes)
        }
    }

    private func cannotHold(_ codec: AudioCodec) -> TranscodeError {
        let allowed = AudioCodec.allCases.map(\.rawValue).filter(rules.holdsAudio)
        return TranscodeError(
            .audioContainer, "\(rules.name) cannot hold \(codec.rawValue)",
            hint: allowed.isEmpty ? "it cannot hold audio" : "allowed: \(list(allowed))")
    }

    private func convert(
        _ stream: InputStream, to codec: AudioCodec, _ audio: AudioRequest, because reason: String,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> StreamPlan {
        var settings = try self.settings(of: stream, for: codec, audio)
        settings.loudness = audio.loudness
        limitBitrate(&settings, codec, audio, &notes)
        notes.note(
            .conversionAudio,
            "\(stream.label) becomes \(codec.rawValue), \(settings.channelLayout), \(settings.sampleRate) Hz: \(reason)"
        )
        let losses = settings.losses(from: stream.parameters, channels: audio.channels?.count)
        if !losses.isEmpty {
            notes.note(
                .downgradeAudio, "\(stream.label) is reduced for \(codec.rawValue): \(list(losses))")
        }
        return StreamPlan(source: stream.info, action: .convertAudio(settings), reason: reason)
    }

    private func settings(
        of stream: InputStream, for codec: AudioCodec, _ audio: AudioRequest
    ) throws(TranscodeError) -> AudioEncoderSettings {
        let channels = min(stream.channelCount, audio.channels?.count ?? .max)
        do {
            return try AudioEncoderSettings(
                codecName: codec.encoderName, source: stream.parameters, channels: audio.channels?.count,
                bitrate: audio.bitrate ?? codec.defaultBitrate(channels: channels),
                usesGlobalHeader: Muxer.wantsGlobalHeader(format: container.muxerName))
        } catch {
            throw TranscodeError(.audioEncoder, "no encoder for \(codec.rawValue): \(error)")
                .at(stream: stream.index).caused(by: "\(error)")
        }
    }

    /// Limits the bit rate to what the encoder supports. Encoders silently use less, or fail.
    private func limitBitrate(
        _ settings: inout AudioEncoderSettings, _ codec: AudioCodec, _ audio: AudioRequest, _ notes: inout PlanNotes
    ) {
        guard let wanted = audio.bitrate else { return }
        guard let most = codec.maxBitrate(settings) else {
            settings.bitrate = nil
            return notes.note(
                .audioBitrate, "\(option: .audioBitrate) does not apply to \(codec.rawValue), which is lossless")
        }
        guard wanted > most else { return }
        settings.bitrate = most
        let (asked, given) = (RateChoice.megabits(wanted), RateChoice.megabits(most))
        notes.note(
            .audioBitrate,
            "\(option: .audioBitrate) \(asked) exceeds the maximum of \(codec.rawValue), "
                + "\(settings.channelLayout): it becomes \(given)")
    }

    /// Notes a bit rate that no stream has. A copied one has its own notice.
    func noteUnusedBitrate(_ plans: [StreamPlan], _ notes: inout PlanNotes) {
        let converts = plans.contains { if case .convertAudio = $0.action { true } else { false } }
        guard request.audioBitrate != nil, !converts, !notes.notices.contains(where: { $0.kind == .audioBitrate })
        else { return }
        notes.note(.audioBitrate, "\(option: .audioBitrate) has no effect: no audio stream is converted")
    }
}

import VTXJSON
import VTXMedia
import VTXTask

// Audio and other streams besides the video.
extension HandBrakePreset {
    mutating func takeAudio(_ fields: HandBrakeFields) {
        let behavior = fields.word("AudioTrackSelectionBehavior")
        let tracks = fields.list("AudioList")
        guard let first = tracks.first, behavior != nil else { return set(.audio, "none") }
        let languages = fields.words("AudioLanguageList").filter { $0 != "any" }
        if !languages.isEmpty {
            leave("AudioLanguageList \(languages.joined(separator: ", "))", "a source without them would be refused")
        }
        var sources = "all"
        if behavior == "first" { sources = firstStream(of: languages) }
        guard tracks.count > 1 else {
            if sources != "all" { set(.audioStreams, .string(sources)) }
            return setCoding(ofAudio: coding(of: first))
        }
        // Each entry makes a track of each stream, or of the first one only.
        let isFirstAlone = fields.truth("AudioSecondaryEncoderMode") ?? false
        let texts = tracks.enumerated().map { index, track in
            ([index > 0 && isFirstAlone ? "0" : sources] + coding(of: track).parts).joined(separator: ":")
        }
        set(.audioTrack, .array(texts.map { .string($0) }))
    }

    /// Returns the first audio stream, or all if it is the first in one of the languages, which may have any position.
    private mutating func firstStream(of languages: [String]) -> String {
        guard !languages.isEmpty else { return "0" }
        leave("AudioTrackSelectionBehavior first", "the first stream in a language has no fixed position")
        return "all"
    }

    private struct AudioCoding {
        /// nil for a copy, if the container supports it.
        var codec: AudioCodec?
        var bitrate: Int64?
        var channels: ChannelLimit?

        /// The parts of an `audioTrack`.
        var parts: [String] {
            [codec?.rawValue, bitrate.map { "bitrate=\($0)" }, channels.map { "channels=\($0.rawValue)" }]
                .compactMap(\.self)
        }
    }

    private mutating func setCoding(ofAudio coding: AudioCoding) {
        if let codec = coding.codec { set(.audio, .string(codec.rawValue)) }
        if let bitrate = coding.bitrate { set(.audioBitrate, .integer(bitrate)) }
        if let channels = coding.channels { set(.audioChannels, .string(channels.rawValue)) }
    }

    /// `copy:ac3`, `av_aac`, `ca_haac`, `fdk_aac`, `flac24`, `opus`, ...
    private mutating func coding(of track: HandBrakeFields) -> AudioCoding {
        guard let encoder = track.word("AudioEncoder"), !encoder.hasPrefix("copy") else { return AudioCoding() }
        if encoder.contains("haac") { leave("AudioEncoder \(encoder)", "AAC-LC replaces it") }
        // Longer names first, because eac3 contains ac3.
        let codecs = AudioCodec.allCases.sorted { $0.rawValue.count > $1.rawValue.count }
        guard let codec = codecs.first(where: { encoder.contains($0.rawValue) }) else {
            leave("AudioEncoder \(encoder)", "vtx does not encode it")
            return AudioCoding()
        }
        for (field, neutral, reason) in Self.ofAudioTracks where track.says(field, otherThan: neutral) {
            leave(field, reason)
        }
        return AudioCoding(
            codec: codec, bitrate: codec == .flac ? nil : bitrate(of: track), channels: channels(of: track))
    }

    /// A track with a quality has no bit rate, whatever its entry says.
    private mutating func bitrate(of track: HandBrakeFields) -> Int64? {
        guard track.truth("AudioTrackQualityEnable") != true else {
            let quality = track.number("AudioTrackQuality").map { " \($0)" } ?? ""
            leave("AudioTrackQuality\(quality)", "audio has a bit rate here, by default by codec and channels")
            return nil
        }
        return track.positive("AudioBitrate").map { $0 * 1000 }
    }

    private mutating func channels(of track: HandBrakeFields) -> ChannelLimit? {
        switch track.word("AudioMixdown") {
        case "mono": return .mono
        case "stereo", "dpl1", "dpl2": return .stereo
        case "5point1": return .surround
        case let mixdown?:
            leave("AudioMixdown \(mixdown)", "vtx has mono, stereo and 5.1")
            return nil
        case nil: return nil
        }
    }

    private static let ofAudioTracks: [(field: String, neutral: [JSONValue], reason: String)] = [
        ("AudioSamplerate", ["auto", ""], "the sample rate stays the source's, where the codec has it"),
        ("AudioTrackGainSlider", [0, 0.0], "loudness brings audio to a level"),
        ("AudioTrackDRCSlider", [0, 0.0], "the dynamic range stays the source's"),
    ]

    mutating func takeStreams(_ fields: HandBrakeFields) {
        switch fields.word("SubtitleTrackSelectionBehavior") {
        case nil: set(.subtitleStreams, "none")
        case "first": leave("SubtitleTrackSelectionBehavior first", "a source without subtitles would be refused")
        default: break
        }
        if let burning = fields.word("SubtitleBurnBehavior"), fields.word("SubtitleTrackSelectionBehavior") != nil {
            leave("SubtitleBurnBehavior \(burning)", "subtitles stay streams")
        }
        if fields.truth("ChapterMarkers") == false { set(.chapters, false) }
        if fields.truth("MetadataPassthrough") == false { set(.metadata, false) }
        if let format = fields.word("FileFormat") { takeFormat(format) }
    }

    /// HandBrake's names are those of libavformat's muxers with `av_`.
    private mutating func takeFormat(_ format: String) {
        let name = format.hasPrefix("av_") ? String(format.dropFirst(3)) : format
        guard let container = Container(rawValue: name) else {
            return leave("FileFormat \(format)", "vtx does not write it")
        }
        set(.format, .string(container.rawValue))
    }
}

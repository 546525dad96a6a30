import VTXJSON
import VTXMedia
import VTXTask

// Audio, and what else is beside the picture.
extension HandBrakePreset {
    mutating func takeAudio(_ fields: HandBrakeFields) {
        let behavior = fields.word("AudioTrackSelectionBehavior")
        let tracks = fields.list("AudioList")
        guard let first = tracks.first, behavior != nil else { return set(.audio, "none") }
        if behavior == "first" { leave("AudioTrackSelectionBehavior first", "a source without audio would be refused") }
        let languages = fields.words("AudioLanguageList").filter { $0 != "any" }
        if !languages.isEmpty {
            leave("AudioLanguageList \(languages.joined(separator: ", "))", "a source without them would be refused")
        }
        if tracks.count > 1 {
            leave("\(tracks.count) tracks of each audio stream", "it is converted once, as the first says")
        }
        takeEncoder(ofAudio: first)
    }

    /// `copy:ac3`, `av_aac`, `ca_haac`, `fdk_aac`, `flac24`, `opus`, ...
    private mutating func takeEncoder(ofAudio track: HandBrakeFields) {
        guard let encoder = track.word("AudioEncoder"), !encoder.hasPrefix("copy") else { return }
        if encoder.contains("haac") { leave("AudioEncoder \(encoder)", "AAC-LC takes its place") }
        // Longer names first: eac3 has ac3 in it.
        let codecs = AudioCodec.allCases.sorted { $0.rawValue.count > $1.rawValue.count }
        guard let codec = codecs.first(where: { encoder.contains($0.rawValue) }) else {
            return leave("AudioEncoder \(encoder)", "vtx does not encode it")
        }
        set(.audio, .string(codec.rawValue))
        if codec != .flac, let kilobits = track.positive("AudioBitrate") {
            set(.audioBitrate, .integer(kilobits * 1000))
        }
        switch track.word("AudioMixdown") {
        case "mono": set(.audioChannels, "mono")
        case "stereo", "dpl1", "dpl2": set(.audioChannels, "stereo")
        case "5point1": set(.audioChannels, "5.1")
        case let mixdown?: leave("AudioMixdown \(mixdown)", "there are mono, stereo and 5.1")
        case nil: break
        }
        for (field, neutral, reason) in Self.ofAudioTracks where track.says(field, otherThan: neutral) {
            leave(field, reason)
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
        if let format = fields.word("FileFormat") {
            leave("FileFormat \(format)", "the output's extension chooses the container")
        }
    }
}

import VTXJSON
import VTXMedia
import VTXTask

// Audio, and what else is beside the picture.
extension HandBrakePreset {
    mutating func takeAudio(_ fields: HandBrakeFields) {
        let behavior = fields.word("AudioTrackSelectionBehavior")
        let tracks = fields.list("AudioList")
        guard let first = tracks.first, behavior != nil else { return set(.audio, "none") }
        if behavior == "first" { set(.audioStreams, "0") }
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
        default: break
        }
    }

    mutating func takeStreams(_ fields: HandBrakeFields) {
        if fields.word("SubtitleTrackSelectionBehavior") == nil { set(.subtitleStreams, "none") }
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

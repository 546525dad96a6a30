import VTXMedia
import VTXPlaylist

/// The manifest of a ladder (ISO/IEC 23009-1), with segments as byte ranges of the renditions' files. Pure.
struct DASHManifest: Sendable {
    let listing: LadderListing
    /// nil where there are none.
    var thumbnails: ThumbnailLayout?
    /// Seconds from one key frame to the next.
    var keyFrameSeconds = 2.0

    /// Ticks per second of the manifest's times.
    private static let timescale = 90_000.0

    var text: String {
        let duration = Decimal.text(listing.duration, digits: 3)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-main:2011" type="static" \
            mediaPresentationDuration="PT\(duration)S" minBufferTime="PT\(listing.targetDuration)S">
              <Period id="0" start="PT0S">

            """ + videos + listing.audio.map(audio).joined() + listing.subtitles.map(Self.subtitles).joined()
                + (thumbnails.map { $0.adaptationSet(seconds: keyFrameSeconds) } ?? "") + "  </Period>\n</MPD>\n"
    }

    private var videos: String {
        let color = listing.videos.first.map { Self.transfer($0.color) } ?? ""
        return
            "    <AdaptationSet contentType=\"video\" mimeType=\"video/mp4\" segmentAlignment=\"true\" startWithSAP=\"1\">\n"
            + color + listing.videos.map(video).joined() + "    </AdaptationSet>\n"
    }

    /// Declares the transfer function of HDR, without which a player would show wrong colors.
    private static func transfer(_ color: ColorDescription) -> String {
        guard color.videoRange != "SDR" else { return "" }
        return "      <SupplementalProperty schemeIdUri=\"urn:mpeg:mpegB:cicp:TransferCharacteristics\" "
            + "value=\"\(color.transfer)\"/>\n"
    }

    private func video(_ video: LadderListing.Video) -> String {
        let rate =
            video.frameRate.isPositive
            ? " frameRate=\"\(video.frameRate.numerator)/\(video.frameRate.denominator)\"" : ""
        return "      <Representation id=\"\(video.name)\" codecs=\"\(video.codec)\" "
            + "bandwidth=\"\(bandwidth(video.list))\" width=\"\(video.size.width)\" height=\"\(video.size.height)\" "
            + "sar=\"1:1\"\(rate)>\n" + Self.segments(video.list) + "      </Representation>\n"
    }

    /// The scheme's values are those of ChannelConfiguration (ISO/IEC 23003-3), which up to 5.1 are numbers of channels.
    /// Beyond that players read a number too, and FFmpeg and Shaka Packager write one.
    private func audio(_ audio: LadderListing.Audio) -> String {
        let role = audio.label.isDefault ? "main" : audio.label.isForVisuallyImpaired ? "description" : "alternate"
        return "    <AdaptationSet contentType=\"audio\" mimeType=\"audio/mp4\"\(Self.language(audio.label)) "
            + "segmentAlignment=\"true\" startWithSAP=\"1\">\n" + Self.description(audio.label, role: role)
            + "      <Representation id=\"\(audio.name)\" codecs=\"\(audio.codec)\" "
            + "bandwidth=\"\(bandwidth(audio.list))\" audioSamplingRate=\"\(audio.sampleRate)\">\n"
            + "        <AudioChannelConfiguration "
            + "schemeIdUri=\"urn:mpeg:dash:23003:3:audio_channel_configuration:2011\" value=\"\(audio.channelCount)\"/>\n"
            + Self.segments(audio.list) + "      </Representation>\n    </AdaptationSet>\n"
    }

    private static func subtitles(_ subtitles: LadderListing.Subtitles) -> String {
        let bits = Int((Double(subtitles.byteCount) * 8 / max(1, subtitles.duration)).rounded(.up))
        let label = subtitles.label
        let role = label.isForced ? "forced-subtitle" : label.isForHearingImpaired ? "caption" : "subtitle"
        return "    <AdaptationSet contentType=\"text\" mimeType=\"text/vtt\"\(language(subtitles.label))>\n"
            + description(subtitles.label, role: role)
            + "      <Representation id=\"\(subtitles.name)\" bandwidth=\"\(max(1, bits))\">\n"
            + "        <BaseURL>\(subtitles.file)</BaseURL>\n      </Representation>\n    </AdaptationSet>\n"
    }

    /// Returns what a player's menu shows and chooses by: the title, for whom it is (AudioPurposeCS of ETSI TS 102 822-3-1:
    /// 1 for visually, 2 for hearing impaired people), and the role.
    private static func description(_ label: LadderListing.Label, role: String) -> String {
        let purposes = (label.isForVisuallyImpaired ? [1] : []) + (label.isForHearingImpaired ? [2] : [])
        return "      <Label>\(label.title.escapedForXML)</Label>\n"
            + purposes.map { descriptor("Accessibility", "urn:tva:metadata:cs:AudioPurposeCS:2007", "\($0)") }.joined()
            + descriptor("Role", "urn:mpeg:dash:role:2011", role)
    }

    private static func descriptor(_ name: String, _ scheme: String, _ value: String) -> String {
        "      <\(name) schemeIdUri=\"\(scheme)\" value=\"\(value)\"/>\n"
    }

    private static func language(_ label: LadderListing.Label) -> String {
        label.language.map { " lang=\"\($0.filter { $0.isLetter || $0.isNumber || $0 == "-" })\"" } ?? ""
    }

    private func bandwidth(_ list: SegmentList) -> Int {
        Int(list.peakBitrate(target: listing.targetDuration).rounded(.up))
    }

    // MARK: Segments

    private static func segments(_ list: SegmentList) -> String {
        "        <BaseURL>\(list.file)</BaseURL>\n        <SegmentList timescale=\"\(Int(timescale))\">\n"
            + "          <Initialization range=\"\(list.header.inclusive)\"/>\n          <SegmentTimeline>\n"
            + timeline(list) + "          </SegmentTimeline>\n"
            + list.segments.map { "          <SegmentURL mediaRange=\"\($0.bytes.inclusive)\"/>\n" }.joined()
            + "        </SegmentList>\n"
    }

    private static func timeline(_ list: SegmentList) -> String {
        let ends = list.segments.map { ticks($0.start + $0.duration) }
        var begin = list.segments.first.map { ticks($0.start) } ?? 0
        return ends.enumerated().map { number, end in
            defer { begin = end }
            return "            <S\(number == 0 ? " t=\"\(begin)\"" : "") d=\"\(end - begin)\"/>\n"
        }.joined()
    }

    /// Returns ticks from time zero; what precedes it is hidden.
    private static func ticks(_ seconds: Double) -> Int { max(0, Int((seconds * timescale).rounded())) }
}

extension Range<Int64> {
    /// `FIRST-LAST`
    fileprivate var inclusive: String { "\(lowerBound)-\(upperBound - 1)" }
}

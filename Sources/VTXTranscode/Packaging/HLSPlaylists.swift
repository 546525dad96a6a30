import VTXMedia

/// The playlists of a ladder (RFC 8216, and its successor's attributes where Apple's authoring rules ask for them). Pure.
struct HLSPlaylists: Sendable {
    let listing: LadderListing

    static let main = "master.m3u8"
    private static let head = "#EXTM3U\n#EXT-X-VERSION:7\n"

    /// All of them by their names.
    var all: [(name: String, text: String)] {
        var files = [(Self.main, multivariant)]
        for video in listing.videos {
            files.append(("\(video.name).m3u8", media(video.list)))
            files.append(("\(video.name)-iframes.m3u8", keyFrames(video.list)))
        }
        files += listing.audio.map { ("\($0.name).m3u8", media($0.list)) }
        return files + listing.subtitles.map { ("\($0.name).m3u8", Self.whole($0)) }
    }

    // MARK: The multivariant playlist

    var multivariant: String {
        Self.head + "#EXT-X-INDEPENDENT-SEGMENTS\n" + listing.audio.map(Self.audio).joined()
            + listing.subtitles.map(Self.subtitles).joined() + listing.videos.map(variant).joined()
            + listing.videos.map(keyFrameVariant).joined()
    }

    private static func audio(_ audio: LadderListing.Audio) -> String {
        media("AUDIO", "audio", audio.label, audio.name, [("CHANNELS", quoted("\(audio.channelCount)"))])
    }

    private static func subtitles(_ subtitles: LadderListing.Subtitles) -> String {
        media(
            "SUBTITLES", "subtitles", subtitles.label, subtitles.name,
            subtitles.label.isForced ? [("FORCED", "YES")] : [])
    }

    private static func media(
        _ type: String, _ group: String, _ label: LadderListing.Label, _ name: String, _ more: [(String, String)]
    ) -> String {
        var attributes = [("TYPE", type), ("GROUP-ID", quoted(group)), ("NAME", quoted(label.title))]
        if let language = label.language { attributes.append(("LANGUAGE", quoted(language))) }
        attributes += [("DEFAULT", label.isDefault ? "YES" : "NO"), ("AUTOSELECT", "YES")]
        if !label.characteristics.isEmpty {
            attributes.append(("CHARACTERISTICS", quoted(label.characteristics.joined(separator: ","))))
        }
        return tag("EXT-X-MEDIA", attributes + more + [("URI", quoted("\(name).m3u8"))])
    }

    private func variant(_ video: LadderListing.Video) -> String {
        let (peak, average) = listing.bandwidth(of: video)
        let codecs = [video.codec] + Set(listing.audio.map(\.codec)).sorted()
        var attributes =
            [("BANDWIDTH", "\(peak)"), ("AVERAGE-BANDWIDTH", "\(average)")] + Self.picture(video, codecs)
        if video.frameRate.isPositive {
            attributes.append(("FRAME-RATE", Decimal.text(video.frameRate.value, digits: 3)))
        }
        if !listing.audio.isEmpty { attributes.append(("AUDIO", Self.quoted("audio"))) }
        if !listing.subtitles.isEmpty { attributes.append(("SUBTITLES", Self.quoted("subtitles"))) }
        return Self.tag("EXT-X-STREAM-INF", attributes) + "\(video.name).m3u8\n"
    }

    private func keyFrameVariant(_ video: LadderListing.Video) -> String {
        let bits = video.list.keyFrames.map { (Double($0.bytes.count) * 8, $0.duration) }
        let peak = video.list.keyFrames.map(\.bitrate).max() ?? 0
        let average = bits.reduce(0) { $0 + $1.0 } / max(0.001, bits.reduce(0) { $0 + $1.1 })
        return Self.tag(
            "EXT-X-I-FRAME-STREAM-INF",
            [("BANDWIDTH", "\(Int(peak.rounded(.up)))"), ("AVERAGE-BANDWIDTH", "\(Int(average.rounded(.up)))")]
                + Self.picture(video, [video.codec]) + [("URI", Self.quoted("\(video.name)-iframes.m3u8"))])
    }

    private static func picture(_ video: LadderListing.Video, _ codecs: [String]) -> [(String, String)] {
        [
            ("CODECS", quoted(codecs.joined(separator: ","))), ("RESOLUTION", "\(video.size)"),
            ("VIDEO-RANGE", video.color.videoRange),
        ]
    }

    // MARK: Media playlists

    func media(_ list: SegmentList) -> String {
        Self.head + "#EXT-X-TARGETDURATION:\(listing.targetDuration)\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            + "#EXT-X-INDEPENDENT-SEGMENTS\n" + Self.segments(list.segments, of: list)
    }

    func keyFrames(_ list: SegmentList) -> String {
        let longest = list.keyFrames.map(\.duration).max() ?? 0
        return Self.head + "#EXT-X-TARGETDURATION:\(max(1, Int(longest.rounded(.up))))\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            + "#EXT-X-I-FRAMES-ONLY\n" + Self.segments(list.keyFrames, of: list)
    }

    private static func segments(_ segments: [SegmentList.MediaSegment], of list: SegmentList) -> String {
        tag("EXT-X-MAP", [("URI", quoted(list.file)), ("BYTERANGE", quoted(list.header.byteRange))])
            + segments.map { segment in
                "#EXTINF:\(Decimal.text(segment.duration, digits: 5)),\n"
                    + "#EXT-X-BYTERANGE:\(segment.bytes.byteRange)\n\(list.file)\n"
            }.joined() + "#EXT-X-ENDLIST\n"
    }

    /// One file that is one segment.
    static func whole(_ subtitles: LadderListing.Subtitles) -> String {
        head + "#EXT-X-TARGETDURATION:\(max(1, Int(subtitles.duration.rounded(.up))))\n#EXT-X-PLAYLIST-TYPE:VOD\n"
            + "#EXTINF:\(Decimal.text(subtitles.duration, digits: 5)),\n\(subtitles.file)\n#EXT-X-ENDLIST\n"
    }

    // MARK: Text

    private static func tag(_ name: String, _ attributes: [(String, String)]) -> String {
        "#\(name):" + attributes.map { "\($0.0)=\($0.1)" }.joined(separator: ",") + "\n"
    }

    /// A quoted string holds neither quotes nor line breaks (RFC 8216, 4.2).
    private static func quoted(_ text: String) -> String {
        let allowed = text.unicodeScalars.map { scalar -> Character in
            scalar == "\"" ? "'" : scalar.properties.generalCategory == .control ? " " : Character(scalar)
        }
        return "\"\(String(allowed))\""
    }
}

extension Range<Int64> {
    /// `LENGTH@OFFSET`
    fileprivate var byteRange: String { "\(upperBound - lowerBound)@\(lowerBound)" }
}

extension LadderListing.Label {
    fileprivate var characteristics: [String] {
        (isForHearingImpaired
            ? [
                "public.accessibility.transcribes-spoken-dialog",
                "public.accessibility.describes-music-and-sound",
            ] : []) + (isForVisuallyImpaired ? ["public.accessibility.describes-video"] : [])
    }
}

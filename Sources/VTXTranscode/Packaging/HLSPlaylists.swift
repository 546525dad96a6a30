import VTXMedia
import VTXPlaylist
import VTXTask

/// The playlists of a ladder (RFC 8216, with the attributes of its successor that Apple's authoring rules require).
/// Pure.
struct HLSPlaylists: Sendable {
    let listing: LadderListing

    /// All playlists by name.
    var all: [(name: String, text: String)] {
        var files = [(LadderFiles.playlist, multivariant)]
        for video in listing.videos {
            files.append(("\(video.name).m3u8", media(video.list)))
            files.append(("\(video.name)-iframes.m3u8", keyFrames(video.list)))
        }
        files += listing.audio.map { ("\($0.name).m3u8", media($0.list)) }
        return files + listing.subtitles.map { ("\($0.name).m3u8", Self.whole($0)) }
    }

    // MARK: The multivariant playlist

    var multivariant: String {
        let groups = listing.audioGroups
        return HLSText.head + HLSText.independentSegments + groups.map(Self.audio).joined()
            + listing.subtitles.map(Self.subtitles).joined() + variants(groups)
            + listing.videos.map(keyFrameVariant).joined()
    }

    private static func audio(_ group: LadderListing.AudioGroup) -> String {
        group.renditions.map { audio in
            media("AUDIO", group.id, audio.label, audio.name, [("CHANNELS", HLSText.quoted("\(audio.channelCount)"))])
        }.joined()
    }

    private static func subtitles(_ subtitles: LadderListing.Subtitles) -> String {
        media(
            "SUBTITLES", "subtitles", subtitles.label, subtitles.name,
            subtitles.label.isForced ? [("FORCED", "YES")] : [])
    }

    private static func media(
        _ type: String, _ group: String, _ label: LadderListing.Label, _ name: String, _ more: [(String, String)]
    ) -> String {
        var attributes = [("TYPE", type), ("GROUP-ID", HLSText.quoted(group)), ("NAME", HLSText.quoted(label.title))]
        if let language = label.language { attributes.append(("LANGUAGE", HLSText.quoted(language))) }
        attributes += [("DEFAULT", label.isDefault ? "YES" : "NO"), ("AUTOSELECT", "YES")]
        if !label.characteristics.isEmpty {
            attributes.append(("CHARACTERISTICS", HLSText.quoted(label.characteristics.joined(separator: ","))))
        }
        return HLSText.tag("EXT-X-MEDIA", attributes + more + [("URI", HLSText.quoted("\(name).m3u8"))])
    }

    /// Each rendition with each group, so that a player without a group's codec has every rendition.
    private func variants(_ groups: [LadderListing.AudioGroup]) -> String {
        guard !groups.isEmpty else { return listing.videos.map { variant($0, nil) }.joined() }
        return groups.map { group in listing.videos.map { variant($0, group) }.joined() }.joined()
    }

    private func variant(_ video: LadderListing.Video, _ group: LadderListing.AudioGroup?) -> String {
        var variant = Self.variant(video, group?.codecs ?? [])
        (variant.peak, variant.average) = listing.bandwidth(of: video, with: group?.renditions ?? [])
        if let group { variant.groups.append(("AUDIO", group.id)) }
        if !listing.subtitles.isEmpty { variant.groups.append(("SUBTITLES", "subtitles")) }
        return variant.text
    }

    private static func variant(_ video: LadderListing.Video, _ audioCodecs: [String] = []) -> HLSVariant {
        HLSVariant(
            name: "\(video.name).m3u8", codecs: [video.codec] + audioCodecs, resolution: "\(video.size)",
            videoRange: video.color.videoRange,
            frameRate: video.frameRate.isPositive ? video.frameRate.value : nil)
    }

    private func keyFrameVariant(_ video: LadderListing.Video) -> String {
        let bits = video.list.keyFrames.map { (Double($0.bytes.count) * 8, $0.duration) }
        let peak = video.list.keyFrames.map(\.bitrate).max() ?? 0
        let average = bits.reduce(0) { $0 + $1.0 } / max(0.001, bits.reduce(0) { $0 + $1.1 })
        return HLSText.tag(
            "EXT-X-I-FRAME-STREAM-INF",
            [("BANDWIDTH", "\(Int(peak.rounded(.up)))"), ("AVERAGE-BANDWIDTH", "\(Int(average.rounded(.up)))")]
                + Self.variant(video).picture + [("URI", HLSText.quoted("\(video.name)-iframes.m3u8"))])
    }

    // MARK: Media playlists

    func media(_ list: SegmentList) -> String {
        HLSText.head + HLSText.targetDuration(listing.targetDuration) + "#EXT-X-PLAYLIST-TYPE:VOD\n"
            + HLSText.independentSegments + Self.segments(list.segments, of: list)
    }

    func keyFrames(_ list: SegmentList) -> String {
        let longest = SegmentList.inTime(list.keyFrames).map(\.duration).max() ?? 0
        return HLSText.head + HLSText.targetDuration(Int(longest.rounded(.up))) + "#EXT-X-PLAYLIST-TYPE:VOD\n"
            + "#EXT-X-I-FRAMES-ONLY\n" + Self.segments(list.keyFrames, of: list)
    }

    private static func segments(_ segments: [SegmentList.MediaSegment], of list: SegmentList) -> String {
        HLSText.tag(
            "EXT-X-MAP", [("URI", HLSText.quoted(list.file)), ("BYTERANGE", HLSText.quoted(list.header.byteRange))])
            + SegmentList.inTime(segments).map { segment in
                HLSText.segmentDuration(segment.duration)
                    + "#EXT-X-BYTERANGE:\(segment.bytes.byteRange)\n\(list.file)\n"
            }.joined() + HLSText.end
    }

    /// A playlist of one file that is a single segment.
    static func whole(_ subtitles: LadderListing.Subtitles) -> String {
        HLSText.head + HLSText.targetDuration(Int(subtitles.duration.rounded(.up))) + "#EXT-X-PLAYLIST-TYPE:VOD\n"
            + HLSText.segmentDuration(subtitles.duration) + "\(subtitles.file)\n" + HLSText.end
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

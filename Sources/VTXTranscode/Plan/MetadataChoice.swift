import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides which tags and chapters are copied.
enum MetadataChoice {
    /// Tags that describe the old container instead of the content.
    private static let wrapping: Set<String> = [
        "major_brand", "minor_version", "compatible_brands", "encoder", "duration",
    ]

    static func metadata(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ streams: [StreamPlan],
        _ notes: inout PlanNotes
    ) -> [MetadataEntry] {
        noteMerging(of: source.demuxer.programs, streams, &notes)
        guard request.selection.keepsMetadata else { return [] }
        let entries = source.demuxer.metadata.filter { !wrapping.contains($0.key.lowercased()) }
        let hasCover = streams.contains { $0.source.isCoverArt && !$0.isDropped }
        if container == .mp4, hasCover || wantsITunesBox(entries) { return iTunesOnly(entries, &notes) }
        guard !ContainerRules.of(container).holdsMetadata else { return entries }
        let lost = unique((entries + streamTags(streams, container)).map(\.key))
        if !lost.isEmpty {
            notes.note(
                .downgradeMetadata,
                "\(container) cannot hold tags; dropped: \(list(lost)); Matroska would keep them")
        }
        return container == .ts ? service(of: source) : []
    }

    /// Returns the name and provider of the video's service, the only tags of a transport stream (EN 300 468, 6.2.33).
    private static func service(of source: Source) -> [MetadataEntry] {
        let program = source.demuxer.programs.first { $0.streams.contains(source.video.index) }
        return (program?.metadata ?? []).filter { ["service_name", "service_provider"].contains($0.key) }
    }

    private static func noteMerging(of programs: [Program], _ streams: [StreamPlan], _ notes: inout PlanNotes) {
        let kept = Set(streams.filter { !$0.isDropped }.map(\.source.index))
        let merged = programs.map { $0.streams.intersection(kept) }.filter { !$0.isEmpty }
        let all = merged.reduce(into: Set()) { $0.formUnion($1) }
        guard merged.count > 1, !merged.contains(all) else { return }
        notes.note(
            .downgradePrograms,
            "the streams of \(merged.count) programs become one; \(option: .videoStream), \(option: .otherVideo) and "
                + "\(option: .audioStreams) select those of one")
    }

    /// The tags of the streams, except their languages, which have fields of their own.
    private static func streamTags(_ streams: [StreamPlan], _ container: Container) -> [MetadataEntry] {
        streams.filter { !$0.isDropped }.flatMap { streamMetadata($0, in: container) }.filter {
            $0.key.lowercased() != "language"
        }
    }

    private static func unique(_ keys: [String]) -> [String] {
        var seen: Set<String> = []
        return keys.filter { seen.insert($0.lowercased()).inserted }
    }

    /// Whether to write the iTunes box. Most players look for a title only there, and libavformat writes either that or
    /// QuickTime's list of keys. Phones write keys, and no iTunes tags.
    private static func wantsITunesBox(_ entries: [MetadataEntry]) -> Bool {
        let keys = entries.map { $0.key.lowercased() }
        return keys.contains { $0 != "creation_time" && ContainerRules.isITunesKey($0) }
            && !keys.contains { $0.hasPrefix("com.apple.") }
    }

    /// Returns the tags that fit into the iTunes box, which also contains cover art.
    private static func iTunesOnly(_ entries: [MetadataEntry], _ notes: inout PlanNotes) -> [MetadataEntry] {
        let others = entries.filter { !ContainerRules.isITunesKey($0.key) }
        if !others.isEmpty {
            notes.note(
                .downgradeMetadata,
                "MP4 cannot hold these tags; dropped: \(list(others.map(\.key))); Matroska would keep them"
            )
        }
        return entries.filter { ContainerRules.isITunesKey($0.key) }
    }

    static func chapters(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ range: OutputRange,
        _ notes: inout PlanNotes
    ) -> [Chapter] {
        if request.selection.keepsChapters, source.chaptersOfFollowers > 0 {
            notes.note(
                .downgradeChapters,
                "\(counted(source.chaptersOfFollowers, "chapter", "chapters")) of files that follow the first one are dropped"
            )
        }
        let chapters = source.demuxer.chapters
        guard request.selection.keepsChapters, !chapters.isEmpty else { return [] }
        let rules = ContainerRules.of(container, request)
        guard rules.holdsChapters else {
            notes.note(
                .downgradeChapters,
                "\(counted(chapters.count, "chapter is", "chapters are")) dropped: \(rules.name) cannot hold them; Matroska would keep them"
            )
            return []
        }
        return chapters.compactMap { $0.moved(by: range) }
    }

    /// Returns a stream's tags, without those that describe its old codec or container.
    static func streamMetadata(_ plan: StreamPlan, in container: Container) -> [MetadataEntry] {
        let isQuickTime = container == .mp4 || container == .mov
        var entries = plan.source.metadata.filter { entry in
            let key = entry.key.lowercased()
            if wrapping.contains(key) { return false }
            if !isQuickTime && (key == "vendor_id" || key == "handler_name") { return false }
            if case .copy = plan.action { return true }
            return !isStatistic(key)
        }
        // QuickTime players show a track's handler as its name; Matroska's players its title.
        let title = plan.source.metadata["title"]
        let handler = plan.source.metadata["handler_name"]
        if isQuickTime, let title, handler == nil { entries.append(MetadataEntry("handler_name", title)) }
        if !isQuickTime, title == nil, let handler, !isGeneric(handler) {
            entries.append(MetadataEntry("title", handler))
        }
        if !ContainerRules.of(container).holdsRegions { entries = entries.map(threeLetterLanguage) }
        return container == .mov ? entries.map(quickTimeLanguage) : entries
    }

    /// libavformat writes no language at all for a tag with a region, or of two letters.
    private static func threeLetterLanguage(_ entry: MetadataEntry) -> MetadataEntry {
        guard entry.key.lowercased() == "language", entry.value.count != 3, LanguageCode.isKnown(entry.value) else {
            return entry
        }
        return MetadataEntry(entry.key, LanguageCode.canonical(entry.value))
    }

    /// Uses the code that QuickTime's table of languages has, of the two that ISO 639-2 assigns to some languages.
    private static func quickTimeLanguage(_ entry: MetadataEntry) -> MetadataEntry {
        guard entry.key.lowercased() == "language", let code = quickTimeLanguages[entry.value] else { return entry }
        return MetadataEntry(entry.key, code)
    }

    private static let quickTimeLanguages = [
        "bod": "tib", "cym": "wel", "cze": "ces", "deu": "ger", "ell": "gre", "eus": "baq", "fre": "fra",
        "hye": "arm", "isl": "ice", "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "nld": "dut",
        "rum": "ron", "slo": "slk", "sqi": "alb", "zho": "chi",
    ]

    /// Whether it is one of mkvmerge's statistics: BPS, NUMBER_OF_FRAMES, _STATISTICS_TAGS and others.
    private static func isStatistic(_ key: String) -> Bool {
        key.hasPrefix("bps") || key.hasPrefix("number_of_") || key.hasPrefix("_statistics")
            || key.hasPrefix("duration-")
    }

    /// Whether it is the name of a program instead of a person: `VideoHandler`, `Core Media Audio`, `GPAC ISO Video
    /// Handler`.
    private static func isGeneric(_ handler: String) -> Bool {
        let text = handler.lowercased()
        return text.contains("handle") || text.contains("core media") || text.contains("alias")
            || text.contains("mainconcept") || text.isEmpty
    }
}

extension Chapter {
    /// Returns the chapter on the output's timeline; nil if nothing of it is left.
    fileprivate func moved(by range: OutputRange) -> Chapter? {
        let offset = range.offset.rescaled(to: start.timeBase).ticks
        var from = start.ticks - offset
        var to = end.rescaled(to: start.timeBase).ticks - offset
        if range.start != nil { from = max(0, from) }
        if let end = range.end { to = min(to, MediaTime(seconds: end).rescaled(to: start.timeBase).ticks) }
        guard to > from || range.isWhole else { return nil }
        return Chapter(
            id: id, start: MediaTime(from, start.timeBase), end: MediaTime(max(from, to), start.timeBase),
            metadata: metadata)
    }
}

extension MetadataEntry {
    /// Returns the timecode of the output's first frame: an excerpt begins later than its source. Other tags stay.
    func moved(by range: OutputRange, _ video: StreamInfo) -> MetadataEntry {
        let rate = video.averageFrameRate
        guard key.lowercased() == "timecode", let target = range.seekTarget, let first = video.startTime,
            let timecode = Timecode(value, at: rate)
        else { return self }
        let skipped = target.seconds - MediaTime(first, video.timeBase).seconds
        // A frame at the start of the excerpt is a part of it, whatever its time is rounded to.
        let count = max(0, Int((skipped * rate.value - 0.01).rounded(.up)))
        return MetadataEntry(key, timecode.advanced(by: count).text)
    }
}

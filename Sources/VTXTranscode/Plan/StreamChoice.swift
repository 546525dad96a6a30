import VTXFFmpeg
import VTXMedia
import VTXTask

/// Decides for each stream other than the video whether it is copied, converted, or dropped with a reason.
struct StreamChoice {
    let request: TranscodeRequest
    private let source: Source
    let container: Container
    let rules: ContainerRules

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ container: Container, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> [StreamPlan] {
        try SelectionCheck.check(request, source, &notes)
        let choice = StreamChoice(
            request: request, source: source, container: container, rules: ContainerRules.of(container, request))
        var plans: [StreamPlan] = []
        var ranks: [Int] = []
        for stream in source.streams.map(choice.described) {
            // A track may get another language than the one that selects it.
            let isSelected = choice.isSelected(stream.info)
            for wanted in choice.outputs(of: stream) {
                let plan = try choice.plan(wanted.stream, isSelected: isSelected, as: wanted.audio, &notes)
                if !plan.isDropped {
                    choice.noteMarks(wanted.stream, &notes)
                    choice.noteLanguage(wanted.stream, &notes)
                }
                plans.append(plan)
                ranks.append(wanted.rank)
            }
        }
        choice.placeInOutput(&plans, ranks)
        choice.noteUnusedBitrate(plans, &notes)
        return plans
    }

    /// Returns the stream with its metadata, or only with what players need if tags are not requested.
    private func described(_ stream: InputStream) -> InputStream {
        guard !request.selection.keepsMetadata, stream.file == nil else { return stream }
        // The last two are an attached file's.
        let needed: Set = ["language", "filename", "mimetype"]
        var stream = stream
        stream.metadata = stream.metadata.filter { needed.contains($0.key.lowercased()) }
        return stream
    }

    /// Orders the streams: kinds alternate as in the source, and streams of a kind have the order of their list.
    private func placeInOutput(_ plans: inout [StreamPlan], _ ranks: [Int]) {
        let kept = plans.indices.filter { !plans[$0].isDropped }
        for kind in StreamKind.allCases {
            let places = kept.indices.filter { plans[kept[$0]].source.countedKind == kind }
            let streams = places.map { (rank: ranks[kept[$0]], index: kept[$0]) }
            for (place, stream) in zip(places, streams.sorted { $0 < $1 }) { plans[stream.index].outputIndex = place }
        }
    }

    private func plan(
        _ stream: InputStream, isSelected: Bool, as audio: AudioRequest, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> StreamPlan {
        if stream.index == source.video.index {
            return StreamPlan(
                source: stream.info, action: request.copiesVideo ? .copy : .encodeVideo, reason: "the video")
        }
        if let drawing = try SubtitleDrawing.choose(request, source), drawing.streamIndex == stream.index {
            return StreamPlan(source: stream.info, action: .drop, reason: "it is burned in")
        }
        guard isSelected else {
            return StreamPlan(source: stream.info, action: .drop, reason: "not selected")
        }
        if let reason = replacement(for: stream) {
            return StreamPlan(source: stream.info, action: .drop, reason: reason)
        }
        if isEncrypted(stream) { return drop(stream, &notes, because: "it is encrypted") }
        switch stream.kind {
        case .audio: return try planAudio(stream, audio, &notes)
        case .subtitle where !rules.holds(stream.info): return planSubtitle(stream, &notes)
        default: return rules.holds(stream.info) ? copy(stream) : drop(stream, &notes)
        }
    }

    /// Notes unsupported dispositions, except `default`: every container has its own rule for the default stream.
    private func noteMarks(_ stream: InputStream, _ notes: inout PlanNotes) {
        guard !container.isElementaryStream, !stream.isCoverArt else { return }
        let lost = stream.disposition.names.filter { $0 != "default" && !rules.dispositions.contains($0) }
        guard !lost.isEmpty else { return }
        notes.note(
            .downgradeDisposition,
            "\(stream.label) loses its disposition \(lost.joined(separator: ", ")): \(rules.name) cannot store it")
    }

    /// Notes a language whose region the container cannot store.
    private func noteLanguage(_ stream: InputStream, _ notes: inout PlanNotes) {
        guard rules.holdsLanguages, !rules.holdsRegions, let tag = stream.language, LanguageCode.isKnown(tag) else {
            return
        }
        let stored = LanguageCode.canonical(tag)
        guard LanguageCode.long(tag) != stored else { return }
        notes.note(
            .downgradeLanguage,
            "\(stream.label) is \(stored), not \(tag): \(rules.name) stores languages without a region; Matroska would keep it"
        )
    }

    // MARK: Selection

    /// Returns the output streams of a source stream: several if several audio tracks refer to it.
    private func wanted(of stream: InputStream) -> [WantedStream] {
        let whole = AudioRequest(request)
        let position = position(of: stream.info)
        let tracks = request.audioTracks.enumerated().filter { _, track in
            stream.countedKind == .audio && stream.file == nil
                && track.source.includes(position: position, language: stream.language)
        }
        guard !tracks.isEmpty else { return [WantedStream(stream: stream, audio: whole, rank: rank(stream.info) ?? 0)] }
        return tracks.enumerated().map { number, track in
            var copy = stream
            // The source's default is the first that is made of it, unless a track is said to be.
            if number > 0 || request.audioTracks.contains(where: \.marks.isDefault) {
                copy.disposition.remove(.default)
            }
            copy.take(track.element.marks)
            return WantedStream(
                stream: copy, audio: AudioRequest(track.element, beside: whole), rank: track.offset)
        }
    }

    /// Returns them with what a ladder has besides.
    private func outputs(of stream: InputStream) -> [WantedStream] {
        let wanted = wanted(of: stream)
        return request.hasRenditions ? wanted.flatMap(versions) : wanted
    }

    func isEncrypted(_ stream: InputStream) -> Bool { source.encryptedStreams.contains(stream.index) }

    func isSelected(_ stream: StreamInfo) -> Bool { rank(stream) != nil }

    /// Returns the rank. Added streams were requested individually, and follow the source's own.
    private func rank(_ stream: StreamInfo) -> Int? {
        if stream.file != nil { return .max }
        return request.filter(of: stream.countedKind).rank(position: position(of: stream), language: stream.language)
    }

    /// The index among the streams of its kind.
    private func position(of stream: StreamInfo) -> Int {
        source.streams.count { $0.countedKind == stream.countedKind && $0.index < stream.index }
    }

    /// Returns how the content of a stream reaches the output in another way.
    private func replacement(for stream: InputStream) -> String? {
        guard stream.kind == .data else { return nil }
        if stream.codecTag == OutputStreamDescription.tag("text"), !source.demuxer.chapters.isEmpty {
            return "it lists the chapters, which are kept as chapters"
        }
        if stream.codecTag == OutputStreamDescription.tag("tmcd"), source.video.metadata["timecode"] != nil {
            return "it contains the timecode, which is kept as a tag of the video"
        }
        return nil
    }

    // MARK: The rest

    private func planSubtitle(_ stream: InputStream, _ notes: inout PlanNotes) -> StreamPlan {
        guard let target = rules.textSubtitle, stream.parameters.isTextSubtitle, stream.parameters.hasDecoder else {
            return drop(stream, &notes)
        }
        let codec = stream.codecName
        let message: Message = "\(stream.label) becomes \(target): \(rules.name) cannot hold \(codec)"
        // Each keeps bold and italics at most.
        if stream.isStyledText, ["mov_text", "subrip", "webvtt"].contains(target) {
            notes.note(.downgradeSubtitleStyle, message + "; its styles and positions are lost")
        } else {
            notes.note(.conversionSubtitle, message)
        }
        return StreamPlan(
            source: stream.info, action: .convertSubtitle(target), reason: "text, in the container's format")
    }

    private static func contents(of stream: StreamInfo) -> String {
        if stream.isCoverArt { return "cover pictures" }
        guard stream.codecName == "none" else { return stream.codecName }
        return stream.kind == .attachment ? "attached files" : "its unknown format"
    }

    func copy(_ stream: InputStream) -> StreamPlan {
        StreamPlan(source: stream.info, action: .copy, reason: "\(rules.name) holds it")
    }

    func drop(
        _ stream: InputStream, _ notes: inout PlanNotes, because cause: String? = nil
    ) -> StreamPlan {
        let reason = cause ?? "\(rules.name) cannot hold \(Self.contents(of: stream.info))"
        let alternative = cause == nil ? ContainerRules.container(keeping: stream.info) : nil
        var ways = alternative.map { ["\($0) would keep it" as Message] } ?? []
        if cause == nil, !request.copiesVideo, stream.isBitmapSubtitle, stream.canBeDrawn {
            ways.append("\(option: .burnSubtitles) renders it into the video")
        }
        notes.note(.downgradeStream, ways.reduce("\(stream.label) is dropped: \(reason)") { "\($0); \($1)" })
        return StreamPlan(source: stream.info, action: .drop, reason: reason)
    }
}

extension InputStream {
    /// Whether it is text of which nearly every cue has a style and a position.
    var isStyledText: Bool { ["ass", "ssa"].contains(info.codecName) }
}

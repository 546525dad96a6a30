import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

extension LadderListing {
    /// Reads the contents of a ladder's files.
    ///
    /// - Parameters:
    ///   - path: Returns the path of a file.
    ///   - hasCome: Returns whether a stream received any packets. One without packets is omitted.
    init(
        _ plan: TranscodePlan, path: (String) -> String, hasCome: (Int) -> Bool
    ) throws(TranscodeError) {
        self.init(videos: [], audio: [], subtitles: [])
        let seconds = plan.ladder?.segmentSeconds ?? 6
        for track in plan.tracks where hasCome(track.stream) {
            let path = path(track.file)
            switch track.content {
            case .video(let rendition): try addVideo(track, path, seconds, plan, rendition)
            case .audio(let stream): try addAudio(track, path, seconds, stream)
            case .subtitles(let stream): addSubtitles(track, path, stream)
            }
        }
        labelAudio()
        chooseSubtitles()
        for index in subtitles.indices { subtitles[index].duration = duration }
    }

    private mutating func addVideo(
        _ track: LadderTrack, _ path: String, _ seconds: Double, _ plan: TranscodePlan, _ rendition: Int
    ) throws(TranscodeError) {
        let encoder = plan.encodings[rendition].encoder
        let (list, parameters) = try Self.read(path, track, seconds)
        videos.append(
            Video(
                name: track.name, list: list, codec: try Self.codec(of: parameters), size: encoder.size,
                frameRate: plan.video.constantFrameRate ?? encoder.frameRate, color: encoder.color))
    }

    private mutating func addAudio(
        _ track: LadderTrack, _ path: String, _ seconds: Double, _ stream: StreamPlan
    ) throws(TranscodeError) {
        let (list, parameters) = try Self.read(path, track, seconds)
        audio.append(
            Audio(
                name: track.name, list: list, codec: try Self.codec(of: parameters),
                channelCount: parameters.channelCount, sampleRate: parameters.sampleRate,
                label: Label(stream), source: stream.source.index))
    }

    private mutating func addSubtitles(_ track: LadderTrack, _ path: String, _ stream: StreamPlan) {
        var label = Label(stream)
        label.makeUnique("Subtitles \(subtitles.count + 1)", after: subtitles.map(\.label))
        subtitles.append(
            Subtitles(
                name: track.name, file: track.file, duration: 0, byteCount: FileStatus(path)?.byteCount ?? 0,
                label: label))
    }

    private static func read(
        _ path: String, _ track: LadderTrack, _ seconds: Double
    ) throws(TranscodeError) -> (SegmentList, CodecParameters) {
        let index = try FragmentIndex(reading: path)
        do {
            let demuxer = try Demuxer(path: path, format: Container.mp4.muxerName)
            guard let stream = demuxer.streams.first, !index.fragments.isEmpty else { throw FFmpegError("open", -1) }
            return (SegmentList(index, file: track.file, every: seconds), stream.parameters)
        } catch {
            throw .check(.verificationUnreadable, "\(track.file): \(error)")
        }
    }

    private static func codec(of parameters: CodecParameters) throws(TranscodeError) -> String {
        let tags = ["avc3", "hev1"].map(OutputStreamDescription.tag)
        let codec = CodecString.of(
            parameters.codecName, extradata: parameters.extradata,
            hasSetsInSamples: tags.contains(parameters.codecTag))
        guard let codec else {
            throw .check(.verificationCodec, "the parameter sets of \(parameters.codecName) cannot be read")
        }
        return codec
    }

    /// Chooses the subtitles that the source shows.
    private mutating func chooseSubtitles() {
        let shown = subtitles.firstIndex { $0.label.isDefault }
        for index in subtitles.indices { subtitles[index].label.isDefault = index == shown }
    }
}

extension LadderListing.Label {
    /// The stream's title, or its language; empty if it has neither.
    fileprivate init(_ stream: StreamPlan) {
        let source = stream.source
        let language = source.language.flatMap { $0 == "und" ? nil : LanguageCode.shortest($0) }
        self.init(title: source.metadata["title"] ?? language ?? "", language: language)
        isDefault = source.disposition.contains(.default)
        isForced = source.disposition.names.contains("forced")
        isForHearingImpaired = source.disposition.names.contains("hearing_impaired")
        isForVisuallyImpaired = source.disposition.names.contains("visual_impaired")
    }
}

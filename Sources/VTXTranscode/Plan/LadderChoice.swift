import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Turns a video into a ladder: derives the request of the first rendition, and completes its plan.
struct LadderChoice {
    private let request: TranscodeRequest
    private let renditions: [LadderRenditions.Rendition]

    /// In seconds.
    private static let standardSegment = 6
    /// The ratio of peak to average bit rate that Apple's authoring rules allow.
    private static let peak = 2

    static func choose(
        _ request: TranscodeRequest, _ source: Source, _ codec: VideoCodec, _ range: OutputRange,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> LadderChoice? {
        guard request.hasRenditions else { return nil }
        // The plan of the first rendition has these notes.
        var unsaid = PlanNotes()
        let picture = try PictureChoice.choose(request, source, codec, .mp4, range, &unsaid)
        let video = LadderRenditions.Video(
            size: picture.size.inSquareSamples(picture.sampleAspectRatio),
            rate: (request.frameRate ?? PictureRate.of(source, request).rate).value,
            bitrate: bitrate(of: source, in: codec), codec: codec)
        let ladder = LadderRenditions(request.ladder ?? .auto, of: video)
        let largest: Message =
            request.size == nil ? "the source is \(picture.size)" : "\(option: .maxSize) leaves \(picture.size)"
        noteLarger(ladder.larger.map { "\($0.height)" }, than: largest, &notes)
        guard !ladder.renditions.isEmpty else {
            throw TranscodeError(
                .ladder, "\(largest): all renditions of \(option: .ladder) are larger",
                hint: "\(option: .ladder, "auto") depends on the source")
        }
        return LadderChoice(request: request, renditions: ladder.renditions)
    }

    private static func noteLarger(_ heights: [String], than largest: Message, _ notes: inout PlanNotes) {
        guard !heights.isEmpty else { return }
        notes.note(
            .ladderReduced,
            "\(list(heights)) of \(option: .ladder) left out: \(largest), and no rendition may be larger")
    }

    /// Returns the bit rate that the video would have in another codec.
    private static func bitrate(of source: Source, in codec: VideoCodec) -> Int {
        let (old, new) = (source.video.codecName, codec.rawValue)
        let factor = LadderRenditions.relativeBitrate(new) / LadderRenditions.relativeBitrate(old)
        return Int(Double(bitrate(of: source)) * factor)
    }

    /// Returns the bit rate of the video, or of the whole file.
    private static func bitrate(of source: Source) -> Int {
        if source.video.info.bitrate > 0 { return source.video.info.bitrate }
        guard let seconds = source.demuxer.duration?.seconds, seconds > 0 else { return 0 }
        return Int(Double(source.byteCount) * 8 / seconds)
    }

    /// The request for the largest rendition alone, with pixels rotated, because players of ladders do not rotate.
    var first: TranscodeRequest {
        var first = request
        first.size = SizeRequest(renditions[0].size.width, renditions[0].size.height)
        first.scaling = .fill
        first.rateControl = Self.rate(renditions[0].bitrate)
        return first
    }

    private static func rate(_ bitrate: Int) -> RateControl { .bitrate(average: bitrate, max: bitrate * peak) }

    /// Plans the renditions. Key frames occur only where forced, at the same frames in all renditions.
    ///
    /// - Parameter encoding: That of the first rendition.
    func plan(_ encoding: inout VideoEncoding, _ notes: inout PlanNotes) -> LadderPlan {
        let rate = encoding.encoder.frameRate
        let frames = encoding.encoder.maxKeyFrameInterval
        let seconds = encoding.keyFrameSeconds ?? (Double(frames) * rate.reciprocal.value)
        let segment = Double(request.segmentDuration ?? Self.standardSegment)
        encoding.keyFrameSeconds = seconds
        encoding.encoder.hasFixedKeyFrames = true
        // Key frames are forced at fixed times; the encoder's own interval must not add others.
        encoding.encoder.maxKeyFrameInterval = 4 * frames
        let plan = LadderPlan(
            writesHLS: request.writesHLS || !request.writesDASH, writesDASH: request.writesDASH,
            keyFrameSeconds: seconds,
            segmentSeconds: max(1, (segment / seconds).rounded()) * seconds, names: renditions.map(\.name),
            lower: renditions.dropFirst().map { [encoding] in Self.lower(encoding, $0) })
        describe(plan, &notes)
        return plan
    }

    /// Returns a rendition that is scaled down from the frames of the previous one, after all other filters.
    private static func lower(_ first: VideoEncoding, _ rendition: LadderRenditions.Rendition) -> VideoEncoding {
        var encoding = first
        encoding.filter = FilterConfiguration(
            size: rendition.size, pixelFormat: first.filter.pixelFormat, color: first.filter.color, scaling: .fill,
            isSquare: true, deinterlacing: .never, orientation: .upright, frameRate: nil,
            sourceFrameRate: first.encoder.frameRate, timeBase: first.filter.timeBase)
        // Fields are not scaled.
        encoding.encoder.isInterlaced = false
        encoding.encoder.size = rendition.size
        encoding.encoder.rateControl = rate(rendition.bitrate)
        return encoding
    }

    private func seconds(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value)) s" : "\(value.thousandths) s"
    }

    private func describe(_ plan: LadderPlan, _ notes: inout PlanNotes) {
        // These were the first rendition's.
        notes.decisions.removeAll { ["size", "rate", "container"].contains($0.subject) }
        for (number, rendition) in renditions.enumerated() {
            notes.decide(
                rendition.name, "\(rendition.size), \(RateChoice.megabits(rendition.bitrate))",
                because: number == 0
                    ? rendition.reason : rendition.reason + ", scaled from \(renditions[number - 1].name)")
        }
        notes.decide(
            "segments", "\(seconds(plan.segmentSeconds)), with key frames every \(seconds(plan.keyFrameSeconds))",
            because: request.segmentDuration == nil ? "the default" : "requested")
        let kinds = [plan.writesHLS ? "HLS" : nil, plan.writesDASH ? "DASH" : nil].compactMap(\.self)
        notes.decide("playlists", kinds.joined(separator: " and "), because: "for the same fragmented MP4 (CMAF)")
    }
}

extension TranscodeRequest {
    /// Returns the request with everything else that a ladder requires.
    var withRenditions: TranscodeRequest {
        guard hasRenditions else { return self }
        var request = self
        (request.timestamps, request.rotatesPixels) = (.zero, true)
        return request
    }
}

extension PixelSize {
    fileprivate func inSquareSamples(_ aspectRatio: Rational) -> PixelSize {
        guard aspectRatio.isPositive, aspectRatio.value != 1 else { return self }
        return PixelSize(Int((Double(width) * aspectRatio.value).rounded()), height)
    }
}

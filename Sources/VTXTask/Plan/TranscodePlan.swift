package import VTXMedia

/// All decisions, made before the first frame. A value that can be printed, stored, sent and compared.
package struct TranscodePlan: Sendable, Hashable {
    package var input: String
    package var output: String
    package var container: Container
    package var isFragmented: Bool
    package var video: VideoPlan
    /// nil for a single output file.
    package var ladder: LadderPlan?
    /// One per stream of the source, in order, including the video.
    package var streams: [StreamPlan]
    package var timestamps: OutputRange
    package var chapters: [Chapter]
    package var metadata: [MetadataEntry]
    /// Each decision in words: the choice and the reason.
    package var decisions: [Decision]
    package var notices: [Notice]
    /// A roughly equivalent `ffmpeg` command, one argument per element, including the program.
    package var ffmpegCommand: [String]

    package init(
        input: String, output: String, container: Container, isFragmented: Bool, video: VideoPlan,
        streams: [StreamPlan], timestamps: OutputRange, chapters: [Chapter], metadata: [MetadataEntry],
        decisions: [Decision], notices: [Notice], ffmpegCommand: [String]
    ) {
        self.input = input
        self.output = output
        self.container = container
        self.isFragmented = isFragmented
        self.video = video
        self.streams = streams
        self.timestamps = timestamps
        self.chapters = chapters
        self.metadata = metadata
        self.decisions = decisions
        self.notices = notices
        self.ffmpegCommand = ffmpegCommand
    }

    /// The streams of the output, in order.
    package var outputStreams: [StreamPlan] {
        streams.filter { !$0.isDropped }.sorted { ($0.outputIndex ?? .max) < ($1.outputIndex ?? .max) }
    }

    package var videoIndex: Int { videoStream?.outputIndex ?? 0 }

    package var videoStream: StreamPlan? { streams.first { $0.source.index == video.source.index } }
}

/// A decision and its reason, for users: `codec`, `H.264`, `no hardware here encodes HEVC`.
package struct Decision: Sendable, Hashable, Codable {
    package var subject: String
    package var choice: String
    package var reason: Message

    package init(_ subject: String, _ choice: String, because reason: Message) {
        self.subject = subject
        self.choice = choice
        self.reason = reason
    }
}

/// What happens to the video.
package struct VideoPlan: Sendable, Hashable, Codable {
    package var source: StreamInfo
    /// nil if frame intervals vary or are unknown.
    package var constantFrameRate: Rational?
    /// The display matrix in the container; nil if none is needed.
    package var displayMatrix: DisplayMatrix?
    /// The projection in the container; nil if none is needed.
    package var projection: VideoProjection?
    /// The expected number of frames, if the source specifies it.
    package var expectedFrames: Int?
    /// nil if packets are copied.
    package var encoding: VideoEncoding?

    package init(
        source: StreamInfo, constantFrameRate: Rational?, displayMatrix: DisplayMatrix?, expectedFrames: Int?,
        encoding: VideoEncoding?
    ) {
        self.source = source
        self.constantFrameRate = constantFrameRate
        self.displayMatrix = displayMatrix
        self.expectedFrames = expectedFrames
        self.encoding = encoding
    }

    /// The time base of packets in the pipeline.
    package var timeBase: Rational { encoding?.encoder.timeBase ?? source.timeBase }
    /// 0 if unknown.
    package var frameRate: Rational { encoding?.encoder.frameRate ?? constantFrameRate ?? source.averageFrameRate }
    package var usesHardware: Bool { encoding?.usesHardware ?? false }
    package var parallelism: Int { encoding?.parallelism ?? 1 }
    package var isCut: Bool { encoding?.isCut ?? false }
    /// Whether parameter sets are only in the container's header.
    package var usesGlobalHeader: Bool { encoding?.encoder.usesGlobalHeader ?? false }
    package var repeatsParameterSets: Bool { encoding?.repeatsParameterSets ?? false }
}

/// How the video is decoded, filtered and encoded.
package struct VideoEncoding: Sendable, Hashable, Codable {
    /// The device that encodes.
    package var device: DeviceID
    package var deviceName: String
    /// Whether a GPU runs at least one stage.
    package var usesHardware: Bool
    package var filter: FilterConfiguration
    package var encoder: EncoderConfiguration
    package var codec: VideoCodec { encoder.codec }
    /// The interval after which a key frame is forced, in seconds, if counting frames does not suffice.
    package var keyFrameSeconds: Double?
    /// How much of the output is decoded again for verification.
    package var verification = VerificationLevel.sample
    /// The target of the search for a quality.
    package var target: QualityTarget?
    /// The number of segments processed in parallel; 1 if the video is not split.
    package var parallelism = 1
    /// The device of each of them, if GPUs encode; else empty.
    package var laneDevices: [DeviceID] = []
    /// The quality of each segment, in order, if each one has its own; else empty.
    package var segmentQualities: [SegmentQuality] = []
    /// The number of segments into which a cluster splits the video; 1 if it is not split.
    package var segments = 1
    /// Whether each key frame carries its parameter sets, because encoders of several devices may take turns.
    package var repeatsParameterSets = false
    /// Whether HDR10+ metadata is copied from the source's frames.
    package var keepsHDR10Plus = false
    /// The output's configuration; nil if the metadata is not copied from the source's frames.
    package var dolbyVision: DolbyVision?

    package init(
        device: DeviceID, deviceName: String, usesHardware: Bool, filter: FilterConfiguration,
        encoder: EncoderConfiguration, keyFrameSeconds: Double?
    ) {
        self.device = device
        self.deviceName = deviceName
        self.usesHardware = usesHardware
        self.filter = filter
        self.encoder = encoder
        self.keyFrameSeconds = keyFrameSeconds
    }
}

extension VideoEncoding {
    /// Whether this process encodes the video in segments.
    package var isCut: Bool { parallelism > 1 || !segmentQualities.isEmpty }

    /// Software encoders split a frame by rows: one of 1080 lines keeps about eight cores busy.
    private static let linesPerCore = 128

    package static func busyCores(at size: PixelSize) -> Int { max(1, size.height / linesPerCore) }
}

/// Besides what is needed to restore the plan, the JSON contains keys for programs.
extension TranscodePlan: Codable {
    private enum Key: CodingKey {
        case input
        case output
        case container
        case isFragmented
        case video
        case ladder
        case streams
        case timestamps
        case chapterList
        case metadata
        case decisions
        case notices
        case ffmpegCommand
        // Written for readers, never read.
        case deviceName
        case usesHardware
        case expectedFrames
        case expectedSeconds
        case chapters
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            input: try container.decode(String.self, forKey: .input),
            output: try container.decode(String.self, forKey: .output),
            container: try container.decode(Container.self, forKey: .container),
            isFragmented: try container.decode(Bool.self, forKey: .isFragmented),
            video: try container.decode(VideoPlan.self, forKey: .video),
            streams: try container.decode([StreamPlan].self, forKey: .streams),
            timestamps: try container.decode(OutputRange.self, forKey: .timestamps),
            chapters: try container.decode([Chapter].self, forKey: .chapterList),
            metadata: try container.decode([MetadataEntry].self, forKey: .metadata),
            decisions: try container.decode([Decision].self, forKey: .decisions),
            notices: try container.decode([Notice].self, forKey: .notices),
            ffmpegCommand: try container.decode([String].self, forKey: .ffmpegCommand))
        ladder = try container.decodeIfPresent(LadderPlan.self, forKey: .ladder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(input, forKey: .input)
        try container.encode(output, forKey: .output)
        try container.encode(self.container, forKey: .container)
        try container.encode(isFragmented, forKey: .isFragmented)
        try container.encode(video, forKey: .video)
        try container.encodeIfPresent(ladder, forKey: .ladder)
        try container.encode(streams, forKey: .streams)
        try container.encode(timestamps, forKey: .timestamps)
        try container.encode(chapters, forKey: .chapterList)
        try container.encode(metadata, forKey: .metadata)
        try container.encode(decisions, forKey: .decisions)
        try container.encode(notices.map(NoticeRecord.init), forKey: .notices)
        try container.encode(ffmpegCommand, forKey: .ffmpegCommand)
        try encodeSummary(to: &container)
    }

    private func encodeSummary(to container: inout KeyedEncodingContainer<Key>) throws {
        try container.encodeIfPresent(video.encoding?.deviceName, forKey: .deviceName)
        try container.encode(video.usesHardware, forKey: .usesHardware)
        try container.encodeIfPresent(video.expectedFrames, forKey: .expectedFrames)
        try container.encodeIfPresent(timestamps.expectedSeconds?.thousandths, forKey: .expectedSeconds)
        try container.encode(chapters.count, forKey: .chapters)
    }
}

extension TranscodePlan {
    /// The input's name in messages.
    package var inputName: String { StandardStream.input(input) }
    package var outputName: String { StandardStream.output(output) }

    package var readsPipe: Bool { input == StandardStream.path }
    package var writesPipe: Bool { output == StandardStream.path }
}

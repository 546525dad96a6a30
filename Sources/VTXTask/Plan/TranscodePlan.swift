package import VTXMedia

/// Everything that will be done, decided before the first frame. A value: it can be printed, stored, sent and compared.
package struct TranscodePlan: Sendable, Hashable {
    package var input: String
    package var output: String
    package var container: Container
    package var isFragmented: Bool
    package var video: VideoPlan
    /// nil where the output is one file.
    package var ladder: LadderPlan?
    /// One for each stream of the source, in its order, the video among them.
    package var streams: [StreamPlan]
    package var timestamps: OutputRange
    package var chapters: [Chapter]
    package var metadata: [MetadataEntry]
    /// Each decision in words: what was chosen and why.
    package var decisions: [Decision]
    package var notices: [Notice]
    /// About the same with `ffmpeg`, one argument an element, the program first.
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

    /// What is in the output, in its order.
    package var outputStreams: [StreamPlan] {
        streams.filter { !$0.isDropped }.sorted { ($0.outputIndex ?? .max) < ($1.outputIndex ?? .max) }
    }

    /// The video's place in the output.
    package var videoIndex: Int { videoStream?.outputIndex ?? 0 }

    package var videoStream: StreamPlan? { streams.first { $0.source.index == video.source.index } }
}

/// One choice and its reason, for people: `codec`, `H.264`, `no hardware here encodes HEVC`.
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
    /// nil where frames follow each other unevenly or nothing is known.
    package var constantFrameRate: Rational?
    /// What the container is told; nil where the pixels are upright.
    package var displayMatrix: DisplayMatrix?
    /// Frames to come, where the source says so.
    package var expectedFrames: Int?
    /// nil where its packets are copied.
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

    /// Of the packets on their way to the output.
    package var timeBase: Rational { encoding?.encoder.timeBase ?? source.timeBase }
    /// 0 where it is not known.
    package var frameRate: Rational { encoding?.encoder.frameRate ?? constantFrameRate ?? source.averageFrameRate }
    package var usesHardware: Bool { encoding?.usesHardware ?? false }
    package var parallelism: Int { encoding?.parallelism ?? 1 }
    /// Parameter sets are in the container's header only.
    package var usesGlobalHeader: Bool { encoding?.encoder.usesGlobalHeader ?? false }
    package var repeatsParameterSets: Bool { encoding?.repeatsParameterSets ?? false }
}

/// How the video is decoded, filtered and encoded.
package struct VideoEncoding: Sendable, Hashable, Codable {
    /// The one that encodes.
    package var device: DeviceID
    package var deviceName: String
    /// A GPU does one stage at least.
    package var usesHardware: Bool
    package var filter: FilterConfiguration
    package var encoder: EncoderConfiguration
    package var codec: VideoCodec { encoder.codec }
    /// Seconds after which a key frame is forced, where counting frames would not do.
    package var keyFrameSeconds: Double?
    /// How much of the output is decoded again.
    package var verification = VerificationLevel.sample
    /// What the quality was looked for.
    package var target: QualityTarget?
    /// How many segments are decoded, filtered and encoded at one time; 1 where the video is not cut.
    package var parallelism = 1
    /// The device of each of them, where a GPU encodes; else empty.
    package var laneDevices: [DeviceID] = []
    /// Into how many segments a cluster cuts the video; 1 where it is not cut.
    package var segments = 1
    /// Encoders of several devices follow each other, and each key frame brings its own parameter sets.
    package var repeatsParameterSets = false
    /// HDR10+ metadata goes from the source's pictures into the output's.
    package var keepsHDR10Plus = false
    /// The output's; nil where the metadata does not go from the source's pictures into the output's.
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
    /// Encoders in software share a picture out by its rows: one of 1080 lines keeps about eight cores busy.
    private static let linesPerCore = 128

    package static func busyCores(at size: PixelSize) -> Int { max(1, size.height / linesPerCore) }
}

/// The keys that programs read come beside the parts that make the plan whole again.
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
    /// As messages name it.
    package var inputName: String { StandardStream.input(input) }
    package var outputName: String { StandardStream.output(output) }

    package var readsPipe: Bool { input == StandardStream.path }
    package var writesPipe: Bool { output == StandardStream.path }
}

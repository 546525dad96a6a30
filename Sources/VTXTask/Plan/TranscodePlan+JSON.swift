import VTXMedia

/// The keys that programs read come beside the parts that make the plan whole again.
extension TranscodePlan: Codable {
    private enum Key: CodingKey {
        case input
        case output
        case container
        case isFragmented
        case video
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
            timestamps: try container.decode(TimestampOffset.self, forKey: .timestamps),
            chapters: try container.decode([Chapter].self, forKey: .chapterList),
            metadata: try container.decode([MetadataEntry].self, forKey: .metadata),
            decisions: try container.decode([Decision].self, forKey: .decisions),
            notices: try container.decode([Notice].self, forKey: .notices),
            ffmpegCommand: try container.decode([String].self, forKey: .ffmpegCommand))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(input, forKey: .input)
        try container.encode(output, forKey: .output)
        try container.encode(self.container, forKey: .container)
        try container.encode(isFragmented, forKey: .isFragmented)
        try container.encode(video, forKey: .video)
        try container.encode(streams, forKey: .streams)
        try container.encode(timestamps, forKey: .timestamps)
        try container.encode(chapters, forKey: .chapterList)
        try container.encode(metadata, forKey: .metadata)
        try container.encode(decisions, forKey: .decisions)
        try container.encode(notices.map(TranscodeEvent.notice), forKey: .notices)
        try container.encode(ffmpegCommand, forKey: .ffmpegCommand)
        try encodeSummary(to: &container)
    }

    private func encodeSummary(to container: inout KeyedEncodingContainer<Key>) throws {
        try container.encode(video.deviceName, forKey: .deviceName)
        try container.encode(video.usesHardware, forKey: .usesHardware)
        try container.encodeIfPresent(video.expectedFrames, forKey: .expectedFrames)
        try container.encodeIfPresent(timestamps.expectedSeconds?.thousandths, forKey: .expectedSeconds)
        try container.encode(chapters.count, forKey: .chapters)
    }
}

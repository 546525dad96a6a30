/// An output of several renditions: a directory of fragmented files and their playlists.
package struct LadderPlan: Sendable, Hashable, Codable {
    package var writesHLS: Bool
    package var writesDASH: Bool
    /// The interval between key frames, in seconds.
    package var keyFrameSeconds: Double
    /// The duration of a segment, in seconds. Each begins with a key frame.
    package var segmentSeconds: Double
    /// The names of the renditions' files and playlists, the largest first.
    package var names: [String]
    /// The renditions after the first, which is the plan's video. Each is made from the frames of the previous one.
    package var lower: [VideoEncoding]

    package init(
        writesHLS: Bool, writesDASH: Bool, keyFrameSeconds: Double, segmentSeconds: Double, names: [String],
        lower: [VideoEncoding]
    ) {
        self.writesHLS = writesHLS
        self.writesDASH = writesDASH
        self.keyFrameSeconds = keyFrameSeconds
        self.segmentSeconds = segmentSeconds
        self.names = names
        self.lower = lower
    }
}

extension TranscodePlan {
    /// The encoding of the video, once per rendition; empty if it is copied.
    package var encodings: [VideoEncoding] { [video.encoding].compactMap(\.self) + (ladder?.lower ?? []) }

    /// Returns the index of a rendition's packets among the streams in the pipeline: the first has the video's index,
    /// the others follow all streams of the source.
    package func streamIndex(ofRendition rendition: Int) -> Int {
        rendition == 0 ? videoIndex : outputStreams.count + rendition - 1
    }

    /// The number of streams in the pipeline.
    package var streamCount: Int { outputStreams.count + (ladder?.lower.count ?? 0) }
}

/// An output of several renditions: files of fragments in a directory, and the playlists that lead to them.
package struct LadderPlan: Sendable, Hashable, Codable {
    package var writesHLS: Bool
    package var writesDASH: Bool
    /// Seconds from one key frame to the next.
    package var keyFrameSeconds: Double
    /// Seconds of a segment; each begins with a key frame.
    package var segmentSeconds: Double
    /// What the renditions' files and playlists are called, the largest first.
    package var names: [String]
    /// The renditions after the first, which is the plan's video. Each is made of the pictures of the one before it.
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
    /// How the video is encoded, once for each rendition; none where it is copied.
    package var encodings: [VideoEncoding] { [video.encoding].compactMap(\.self) + (ladder?.lower ?? []) }

    /// The place that a rendition's packets have among the streams on their way to the output: the first has the video's,
    /// the others come after all streams of the source.
    package func streamIndex(ofRendition rendition: Int) -> Int {
        rendition == 0 ? videoIndex : outputStreams.count + rendition - 1
    }

    /// Streams on their way to the output.
    package var streamCount: Int { outputStreams.count + (ladder?.lower.count ?? 0) }
}

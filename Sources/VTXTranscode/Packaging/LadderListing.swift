import VTXMedia
import VTXTask

/// The contents of a ladder's playlists. A value from which the text is generated.
struct LadderListing: Sendable, Hashable {
    struct Video: Sendable, Hashable {
        var name: String
        var list: SegmentList
        /// RFC 6381: `avc1.640028`.
        var codec: String
        var size: PixelSize
        var frameRate: Rational
        var color: ColorDescription
    }

    struct Audio: Sendable, Hashable {
        var name: String
        var list: SegmentList
        var codec: String
        var channelCount: Int
        var sampleRate: Int
        var label: Label
        /// The index of the source's stream.
        var source = 0

        var isSurround: Bool { channelCount > ChannelLimit.stereo.count }
    }

    struct Subtitles: Sendable, Hashable {
        var name: String
        var file: String
        /// In seconds.
        var duration: Double
        var byteCount: Int64
        var label: Label
    }

    /// The label by which users choose.
    struct Label: Sendable, Hashable {
        /// Unique within its kind.
        var title: String
        /// RFC 5646; nil if unknown.
        var language: String?
        var isDefault = false
        var isForced = false
        var isForHearingImpaired = false
        var isForVisuallyImpaired = false
    }

    /// The largest first.
    var videos: [Video]
    var audio: [Audio]
    var subtitles: [Subtitles]

    /// The target duration, which is the same for all playlists, as players that switch between them expect (RFC
    /// 8216bis, 4.4.3.1).
    var targetDuration: Int { max(1, (videos.map(\.list) + audio.map(\.list)).map(\.targetDuration).max() ?? 1) }
    /// In seconds.
    var duration: Double { (videos.map(\.list) + audio.map(\.list)).map(\.duration).max() ?? 0 }

    /// Returns the bit rate of a rendition with the largest of these audio renditions, in bits per second.
    func bandwidth(of video: Video, with audio: [Audio]) -> (peak: Int, average: Int) {
        let peaks = audio.map { $0.list.peakBitrate(target: targetDuration) }
        let averages = audio.map(\.list.averageBitrate)
        return (
            Int((video.list.peakBitrate(target: targetDuration) + (peaks.max() ?? 0)).rounded(.up)),
            Int((video.list.averageBitrate + (averages.max() ?? 0)).rounded(.up))
        )
    }
}

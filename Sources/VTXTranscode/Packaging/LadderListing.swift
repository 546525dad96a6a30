import VTXMedia

/// What playlists say of a ladder. A value: the texts are made of it alone.
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
    }

    struct Subtitles: Sendable, Hashable {
        var name: String
        var file: String
        /// Seconds.
        var duration: Double
        var byteCount: Int64
        var label: Label
    }

    /// What users choose by.
    struct Label: Sendable, Hashable {
        /// No two of a kind have the same.
        var title: String
        /// RFC 5646; nil where nothing is known.
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

    /// All playlists have the same, as a player that goes from one to another expects (RFC 8216bis, 4.4.3.1).
    var targetDuration: Int { max(1, (videos.map(\.list) + audio.map(\.list)).map(\.targetDuration).max() ?? 1) }
    /// Seconds.
    var duration: Double { (videos.map(\.list) + audio.map(\.list)).map(\.duration).max() ?? 0 }

    /// Bits per second of a rendition with the audio that takes the most.
    func bandwidth(of video: Video) -> (peak: Int, average: Int) {
        let peaks = audio.map { $0.list.peakBitrate(target: targetDuration) }
        let averages = audio.map(\.list.averageBitrate)
        return (
            Int((video.list.peakBitrate(target: targetDuration) + (peaks.max() ?? 0)).rounded(.up)),
            Int((video.list.averageBitrate + (averages.max() ?? 0)).rounded(.up))
        )
    }
}

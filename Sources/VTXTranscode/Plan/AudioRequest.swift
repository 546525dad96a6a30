import VTXFFmpeg
import VTXMedia
import VTXTask

/// What is asked for of one audio stream.
struct AudioRequest {
    var coding: AudioChoice
    /// Bits per second; nil: by codec and channel count.
    var bitrate: Int?
    /// The most.
    var channels: ChannelLimit?
    /// LUFS.
    var loudness: Int?

    /// Of all audio.
    init(_ request: TranscodeRequest) {
        (coding, bitrate) = (request.audio, request.audioBitrate)
        (channels, loudness) = (request.audioChannels, request.loudness)
    }

    /// - Parameter whole: counts where the track says nothing.
    init(_ track: AudioTrack, beside whole: AudioRequest) {
        self = whole
        // A copy is one: what is said of all audio would convert it.
        if track.coding == .copy { (bitrate, channels, loudness) = (nil, nil, nil) }
        coding = track.coding ?? coding
        bitrate = track.bitrate ?? bitrate
        channels = track.channels ?? channels
        loudness = track.loudness ?? loudness
    }

    /// What is to become of its samples, beside their coding; nil for nothing.
    func change(of stream: InputStream) -> String? {
        let changes = [
            channels.flatMap { stream.channelCount > $0.count ? "\($0.rawValue) at most" : nil },
            loudness.map { "\($0) LUFS" },
        ].compactMap(\.self)
        return changes.isEmpty ? nil : changes.joined(separator: " and ") + " asked for"
    }
}

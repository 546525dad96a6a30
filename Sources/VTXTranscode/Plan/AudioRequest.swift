import VTXFFmpeg
import VTXMedia
import VTXTask

/// The requested processing of an audio stream.
struct AudioRequest {
    var coding: AudioChoice
    /// In bits per second; nil to derive it from codec and channel count.
    var bitrate: Int?
    /// The maximum number of channels.
    var channels: ChannelLimit?
    /// The target loudness, in LUFS.
    var loudness: Int?

    /// Creates the request for all audio.
    init(_ request: TranscodeRequest) {
        (coding, bitrate) = (request.audio, request.audioBitrate)
        (channels, loudness) = (request.audioChannels, request.loudness)
    }

    /// - Parameter whole: The defaults for what the track does not set.
    init(_ track: AudioTrack, beside whole: AudioRequest) {
        self = whole
        // A copy is one: what is said of all audio would convert it.
        if track.coding == .copy { (bitrate, channels, loudness) = (nil, nil, nil) }
        coding = track.coding ?? coding
        bitrate = track.bitrate ?? bitrate
        channels = track.channels ?? channels
        loudness = track.loudness ?? loudness
    }

    /// Returns the changes to the samples other than the codec; nil for none.
    func change(of stream: InputStream) -> String? {
        let changes = [
            channels.flatMap { stream.channelCount > $0.count ? "\($0.rawValue) at most" : nil },
            loudness.map { "\($0) LUFS" },
        ].compactMap(\.self)
        return changes.isEmpty ? nil : changes.joined(separator: " and ") + " asked for"
    }
}

import VTXMedia
import VTXTask

extension AudioCodec {
    /// The libavcodec name of the encoder.
    var encoderName: String {
        switch self {
        case .mp3: "libmp3lame"
        case .opus: "libopus"
        default: rawValue
        }
    }

    /// Returns the maximum bit rate of the encoder, in bits per second; nil for lossless codecs.
    func maxBitrate(_ settings: AudioEncoderSettings) -> Int? {
        switch self {
        case .flac: nil
        // 6,144 bits for each channel in a frame of 1,024 samples (ISO/IEC 14496-3).
        case .aac: 6 * settings.sampleRate * settings.channelCount
        case .opus: 256_000 * settings.channelCount
        case .ac3: 640_000
        case .eac3: 3_024_000
        case .mp3: settings.sampleRate >= 32_000 ? 320_000 : 160_000
        }
    }

    /// Returns a bit rate that is known to be transparent, in bits per second; nil for lossless codecs.
    func defaultBitrate(channels: Int) -> Int? {
        let channels = max(1, channels)
        switch self {
        case .flac: return nil
        case .aac, .opus: return min(512_000, 80_000 * channels)
        case .ac3, .eac3: return channels > 2 ? 448_000 : 192_000
        case .mp3: return 192_000
        }
    }
}

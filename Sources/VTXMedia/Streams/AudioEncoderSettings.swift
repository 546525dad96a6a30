/// An audio encoder's settings, in libavcodec's terms.
package struct AudioEncoderSettings: Sendable, Hashable, Codable {
    /// libavcodec's name of the encoder, for example `aac`.
    package var codecName: String
    package var sampleRate: Int
    /// libavutil's description, for example `stereo` or `5.1(side)`.
    package var channelLayout: String
    package var channelCount: Int
    /// libavutil's name, for example `fltp`.
    package var sampleFormat: String
    /// Bits of each sample that are kept; nil for codecs that do not keep samples as they are.
    package var bitsPerSample: Int?
    /// Bits per second; nil for lossless codecs.
    package var bitrate: Int?
    package var usesGlobalHeader: Bool

    package init(
        codecName: String, sampleRate: Int, channelLayout: String, channelCount: Int, sampleFormat: String,
        bitsPerSample: Int?, bitrate: Int?, usesGlobalHeader: Bool
    ) {
        self.codecName = codecName
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
        self.channelCount = channelCount
        self.sampleFormat = sampleFormat
        self.bitsPerSample = bitsPerSample
        self.bitrate = bitrate
        self.usesGlobalHeader = usesGlobalHeader
    }
}

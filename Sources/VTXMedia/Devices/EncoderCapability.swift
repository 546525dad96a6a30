/// A codec and profile that a device encodes.
package struct EncoderCapability: Sendable, Hashable, Codable {
    package var codec: VideoCodec
    package var profile: VideoProfile
    package var minSize: PixelSize
    package var maxSize: PixelSize
    /// Closed captions that come with the frames (ATSC A/53) go into the bitstream.
    package var keepsCaptions: Bool
    /// HDR10's mastering display and light level go into the bitstream.
    package var keepsHDRMetadata: Bool
    /// B frames.
    package var reordersFrames: Bool
    /// What frames must be made of; nil for any planar format that the profile holds.
    package var pixelFormats: [PixelFormat]?

    package init(
        codec: VideoCodec, profile: VideoProfile, minSize: PixelSize, maxSize: PixelSize, keepsCaptions: Bool,
        keepsHDRMetadata: Bool = true, reordersFrames: Bool = true, pixelFormats: [PixelFormat]? = nil
    ) {
        self.codec = codec
        self.profile = profile
        self.minSize = minSize
        self.maxSize = maxSize
        self.keepsCaptions = keepsCaptions
        self.keepsHDRMetadata = keepsHDRMetadata
        self.reordersFrames = reordersFrames
        self.pixelFormats = pixelFormats
    }

    package func holds(_ size: PixelSize) -> Bool {
        (minSize.width...maxSize.width).contains(size.width)
            && (minSize.height...maxSize.height).contains(size.height)
    }

    /// The format that the encoder takes such samples in; nil where it does not take them.
    package func input(like format: PixelFormat) -> PixelFormat? {
        guard let pixelFormats else { return format }
        return pixelFormats.first { $0.hasSamples(like: format) }
    }
}

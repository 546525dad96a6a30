import CFFmpeg
package import VTXMedia

/// A video encoder's settings, in libavcodec's terms.
package struct VideoEncoderSettings: Sendable {
    /// libavcodec's name of the encoder, for example `libx264`.
    package var codecName: String
    package var size: PixelSize
    package var pixelFormat: PixelFormat
    package var timeBase: Rational
    package var frameRate: Rational
    package var sampleAspectRatio = Rational(0, 1)
    package var color = ColorDescription.unspecified
    /// Bits per second; nil where the rate is not controlled by an average.
    package var bitrate: Int?
    package var maxBitrate: Int?
    /// Bits of the decoder's buffer that `maxBitrate` is measured over.
    package var bufferSize: Int?
    /// Frames.
    package var maxKeyFrameInterval: Int
    /// nil leaves the number to the encoder's preset.
    package var maxBFrames: Int?
    /// Parameter sets go into the container's header instead of the stream.
    package var usesGlobalHeader: Bool
    /// Quantizer or quality factor of a driver's encoder (C: `global_quality`).
    package var globalQuality: Int?
    /// A driver's quality level, 1 for its best (C: `compression_level`).
    package var compressionLevel: Int?
    /// Frames come on surfaces like this pool's; nil for frames in memory.
    package var surfaces: SurfacePool?
    /// 0 lets the encoder choose by the number of cores.
    package var threads = 0
    /// The encoder's private options.
    package var options: [(String, String)] = []

    package init(
        codecName: String, size: PixelSize, pixelFormat: PixelFormat, timeBase: Rational, frameRate: Rational,
        maxKeyFrameInterval: Int, usesGlobalHeader: Bool
    ) {
        self.codecName = codecName
        self.size = size
        self.pixelFormat = pixelFormat
        self.timeBase = timeBase
        self.frameRate = frameRate
        self.maxKeyFrameInterval = maxKeyFrameInterval
        self.usesGlobalHeader = usesGlobalHeader
    }
}

extension EncoderContext {
    package convenience init(video settings: VideoEncoderSettings) throws(FFmpegError) {
        try self.init(codecName: settings.codecName, timeBase: settings.timeBase, options: settings.options) {
            context in
            context.pointee.width = Int32(settings.size.width)
            context.pointee.height = Int32(settings.size.height)
            context.pointee.pix_fmt = settings.surfaces == nil ? settings.pixelFormat.avFormat : AV_PIX_FMT_VAAPI
            if let surfaces = settings.surfaces { context.pointee.hw_frames_ctx = av_buffer_ref(surfaces.reference) }
            context.pointee.framerate = settings.frameRate.avRational
            context.pointee.sample_aspect_ratio = settings.sampleAspectRatio.avRational
            context.pointee.gop_size = Int32(settings.maxKeyFrameInterval)
            if let maxBFrames = settings.maxBFrames { context.pointee.max_b_frames = Int32(maxBFrames) }
            context.pointee.thread_count = Int32(settings.threads)
            context.applyRate(settings)
            context.applyColor(settings.color)
            if settings.usesGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
        }
    }
}

extension UnsafeMutablePointer<AVCodecContext> {
    fileprivate func applyRate(_ settings: VideoEncoderSettings) {
        if let bitrate = settings.bitrate { pointee.bit_rate = Int64(bitrate) }
        if let maxBitrate = settings.maxBitrate { pointee.rc_max_rate = Int64(maxBitrate) }
        if let bufferSize = settings.bufferSize { pointee.rc_buffer_size = Int32(clamping: bufferSize) }
        if let quality = settings.globalQuality { pointee.global_quality = Int32(quality) }
        if let level = settings.compressionLevel { pointee.compression_level = Int32(level) }
    }

    fileprivate func applyColor(_ color: ColorDescription) {
        pointee.color_primaries = color.avPrimaries
        pointee.color_trc = color.avTransfer
        pointee.colorspace = color.avMatrix
        pointee.color_range = color.avRange
        pointee.chroma_sample_location = color.avChromaLocation
    }
}

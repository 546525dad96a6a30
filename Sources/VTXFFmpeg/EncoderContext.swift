import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia

/// Encodes frames to packets (C: `AVCodecContext`, opened with an encoder).
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class EncoderContext: @unchecked Sendable {
    private let owner: CodecContext
    package let timeBase: Rational
    /// The stream's parameters for a container's header, with parameter sets if `usesGlobalHeader` is set.
    package let parameters: CodecParameters
    /// The options that neither libavcodec nor the encoder recognized.
    package let unknownOptions: [String]
    private var spare = SpareUnit<Packet>()
    private var hasFrames = false
    /// Records the status of a GPU driver.
    private var watch = vtx_encoder_watch()

    var context: UnsafeMutablePointer<AVCodecContext> { owner.pointer }

    init(
        codecName: String, timeBase: Rational, options: [(String, String)], openTimeout: Double? = nil,
        configure: (UnsafeMutablePointer<AVCodecContext>) throws(FFmpegError) -> Void
    ) throws(FFmpegError) {
        owner = try CodecContext(encoder: codecName)
        self.timeBase = timeBase
        owner.pointer.pointee.time_base = timeBase.avRational
        try configure(owner.pointer)
        unknownOptions = try owner.open(options, openTimeout: openTimeout)
        parameters = try CodecParameters(of: owner.pointer)
    }

    deinit {
        // SVT-AV1 (1.4) waits forever for a first frame if it is closed before one.
        guard !hasFrames, owner.isSVTAV1 else { return }
        let size = PixelSize(Int(context.pointee.width), Int(context.pointee.height))
        let frame = try? Frame(size: size, pixelFormat: PixelFormat(context.pointee.pix_fmt))
        try? send(frame)
    }

    /// Whether this build of libavcodec has the encoder.
    package static func exists(_ codecName: String) -> Bool {
        avcodec_find_encoder_by_name(codecName) != nil
    }

    /// Whether the encoder has a private option of this name (C: `av_opt_find`).
    package static func hasOption(_ option: String, of codecName: String) -> Bool {
        guard var optionClass = avcodec_find_encoder_by_name(codecName)?.pointee.priv_class else { return false }
        return withUnsafeMutablePointer(to: &optionClass) {
            av_opt_find($0, option, nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
        }
    }

    /// - Parameter frame: The frame; nil at the end of the stream, after which the encoder outputs its delayed packets.
    package func send(_ frame: Frame?) throws(FFmpegError) {
        hasFrames = hasFrames || frame != nil
        let status = watched { avcodec_send_frame(context, frame?.pointer) }
        if frame == nil && status == vtx_error_end_of_file { return }
        try check(status, "avcodec_send_frame")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Packet> {
        let packet = try spare.get { () throws(FFmpegError) in try Packet(timeBase: timeBase) }
        switch watched({ avcodec_receive_packet(context, packet.pointer) }) {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        case let status: try check(status, "avcodec_receive_packet")
        }
        spare.giveAway()
        return .unit(packet)
    }

    /// Returns what a GPU's driver has reported about coded frames since the last call (C:
    /// `VACodedBufferSegment.status`): the bits of all of them, combined.
    package func takeCodedStatus() -> UInt32 {
        defer { watch.coded_status = 0 }
        return watch.coded_status
    }

    private func watched(_ call: () -> Int32) -> Int32 {
        withUnsafeMutablePointer(to: &watch) { watch in
            vtx_watch_encoder(watch)
            defer { vtx_watch_encoder(nil) }
            let status = call()
            return watch.pointee.lacks_surface == 0 ? status : -ENOMEM
        }
    }
}

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
    /// Bits per second; nil if rate control does not use an average.
    package var bitrate: Int?
    package var maxBitrate: Int?
    /// The size of the decoder's buffer, in bits, that limits `maxBitrate`.
    package var bufferSize: Int?
    /// A fraction of that buffer; nil for the encoder's default. libavcodec's `libx265` ignores it.
    package var initialBufferFullness: Double?
    /// In frames.
    package var maxKeyFrameInterval: Int
    /// nil for the default of the encoder's preset.
    package var maxBFrames: Int?
    /// Whether parameter sets go into the container's header instead of the stream.
    package var usesGlobalHeader: Bool
    /// The quantizer or quality factor of a driver's encoder (C: `global_quality`).
    package var globalQuality: Int?
    /// A driver's quality level, 1 for the best (C: `compression_level`).
    package var compressionLevel: Int?
    /// The pool whose surfaces hold the frames; nil for frames in memory.
    package var surfaces: SurfacePool?
    /// The first pass of two, or the second (C: `AV_CODEC_FLAG_PASS1`, `AV_CODEC_FLAG_PASS2`).
    package var pass: EncodingPass.Number?
    /// Whether frames consist of two fields. Each frame specifies its field order.
    package var isInterlaced = false
    /// 0 lets the encoder choose by the number of cores.
    package var threads = 0
    /// How long to wait for an encoder of which a process can have only one, in seconds; nil for no limit.
    package var openTimeout: Double?
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
        try self.init(
            codecName: settings.codecName, timeBase: settings.timeBase, options: settings.options,
            openTimeout: settings.openTimeout
        ) { context in
            context.applyPictures(settings)
            context.pointee.framerate = settings.frameRate.avRational
            context.pointee.gop_size = Int32(settings.maxKeyFrameInterval)
            if let maxBFrames = settings.maxBFrames { context.pointee.max_b_frames = Int32(maxBFrames) }
            context.pointee.thread_count = Int32(settings.threads)
            context.applyRate(settings)
            if settings.usesGlobalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
            switch settings.pass {
            case .first: context.pointee.flags |= AV_CODEC_FLAG_PASS1
            case .second: context.pointee.flags |= AV_CODEC_FLAG_PASS2
            case nil: break
            }
        }
    }
}

extension EncoderContext {
    /// Changes the bit rate from the next frame on. libavcodec's `libx264` supports this (C: `x264_encoder_reconfig`),
    /// other encoders do not.
    package func changeRate(to settings: VideoEncoderSettings) { context.applyRate(settings) }
}

extension UnsafeMutablePointer<AVCodecContext> {
    fileprivate func applyPictures(_ settings: VideoEncoderSettings) {
        pointee.width = Int32(settings.size.width)
        pointee.height = Int32(settings.size.height)
        pointee.pix_fmt = settings.surfaces == nil ? settings.pixelFormat.avFormat : AV_PIX_FMT_VAAPI
        if let surfaces = settings.surfaces { pointee.hw_frames_ctx = av_buffer_ref(surfaces.reference) }
        pointee.sample_aspect_ratio = settings.sampleAspectRatio.avRational
        applyColor(settings.color)
        // Containers store it.
        if !settings.isInterlaced { pointee.field_order = AV_FIELD_PROGRESSIVE }
    }

    fileprivate func applyRate(_ settings: VideoEncoderSettings) {
        if let bitrate = settings.bitrate { pointee.bit_rate = Int64(bitrate) }
        if let maxBitrate = settings.maxBitrate { pointee.rc_max_rate = Int64(maxBitrate) }
        if let bufferSize = settings.bufferSize { pointee.rc_buffer_size = Int32(clamping: bufferSize) }
        if let bufferSize = settings.bufferSize, let fullness = settings.initialBufferFullness {
            // 0 selects the encoder's default.
            pointee.rc_initial_buffer_occupancy = Int32(clamping: max(1, Int(fullness * Double(bufferSize))))
        }
        if let quality = settings.globalQuality { pointee.global_quality = Int32(quality) }
        if let level = settings.compressionLevel { pointee.compression_level = Int32(level) }
    }

    private func applyColor(_ color: ColorDescription) {
        pointee.color_primaries = color.avPrimaries
        pointee.color_trc = color.avTransfer
        pointee.colorspace = color.avMatrix
        pointee.color_range = color.avRange
        pointee.chroma_sample_location = color.avChromaLocation
    }
}

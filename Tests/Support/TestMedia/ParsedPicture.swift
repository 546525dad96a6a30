import CFFmpeg
package import VTXMedia

/// The fields that libavcodec's parser reads from one picture's headers (C: `av_parser_parse2`).
package struct ParsedPicture: Sendable, Hashable {
    package var codedSize: PixelSize
    package var displaySize: PixelSize
    /// nil if the parser does not know the format.
    package var pixelFormatName: String?
    package var level: Int

    /// nil if it finds no picture with valid parameter sets.
    ///
    /// - Parameter accessUnit: one, in Annex B, with its parameter sets.
    package init?(_ accessUnit: [UInt8], _ codec: VideoCodec) {
        let id = codec == .h264 ? AV_CODEC_ID_H264 : AV_CODEC_ID_HEVC
        guard let parser = av_parser_init(Int32(id.rawValue)), let context = avcodec_alloc_context3(nil) else {
            return nil
        }
        defer {
            av_parser_close(parser)
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
        }
        context.pointee.codec_id = id
        // Intentional damage is not logged.
        context.pointee.log_level_offset = 1000
        parser.pointee.flags |= Int32(PARSER_FLAG_COMPLETE_FRAMES)
        let padded = accessUnit + [UInt8](repeating: 0, count: Int(AV_INPUT_BUFFER_PADDING_SIZE))
        var (output, count): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
        av_parser_parse2(parser, context, &output, &count, padded, Int32(accessUnit.count), 0, 0, 0)
        guard parser.pointee.coded_width > 0 else { return nil }
        codedSize = PixelSize(Int(parser.pointee.coded_width), Int(parser.pointee.coded_height))
        displaySize = PixelSize(Int(parser.pointee.width), Int(parser.pointee.height))
        pixelFormatName = av_get_pix_fmt_name(AVPixelFormat(parser.pointee.format)).map { String(cString: $0) }
        level = Int(context.pointee.level)
    }
}

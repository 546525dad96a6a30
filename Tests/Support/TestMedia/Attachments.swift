import CFFmpeg

/// Adds what VTXFFmpeg never makes by itself: an attached file, such as a font, in Matroska.
package enum Attachments {
    /// A copy of the file `input` with one more stream, an attachment.
    package static func add(
        _ contents: [UInt8], named name: String, mimeType: String, to input: String, as output: String
    ) throws {
        var source: UnsafeMutablePointer<AVFormatContext>?
        var target: UnsafeMutablePointer<AVFormatContext>?
        defer {
            avformat_close_input(&source)
            avformat_free_context(target)
        }
        try check(avformat_open_input(&source, input, nil, nil), "avformat_open_input")
        try check(avformat_find_stream_info(source, nil), "avformat_find_stream_info")
        try check(
            avformat_alloc_output_context2(&target, nil, "matroska", output), "avformat_alloc_output_context2"
        )
        guard let source, let target else { throw RecipeError("no context") }
        try copyStreams(of: source, to: target)
        try attach(contents, name, mimeType, to: target)
        try check(avio_open(&target.pointee.pb, output, AVIO_FLAG_WRITE), "avio_open")
        defer { avio_closep(&target.pointee.pb) }
        try check(avformat_write_header(target, nil), "avformat_write_header")
        try copyPackets(of: source, to: target)
        try check(av_write_trailer(target), "av_write_trailer")
    }

    private static func copyStreams(
        of source: UnsafeMutablePointer<AVFormatContext>, to target: UnsafeMutablePointer<AVFormatContext>
    ) throws {
        for index in 0..<Int(source.pointee.nb_streams) {
            guard let from = source.pointee.streams[index], let to = avformat_new_stream(target, nil) else {
                continue
            }
            try check(
                avcodec_parameters_copy(to.pointee.codecpar, from.pointee.codecpar), "avcodec_parameters_copy"
            )
            to.pointee.time_base = from.pointee.time_base
            to.pointee.codecpar.pointee.codec_tag = 0
        }
    }

    private static func attach(
        _ contents: [UInt8], _ name: String, _ mimeType: String,
        to target: UnsafeMutablePointer<AVFormatContext>
    ) throws {
        guard let stream = avformat_new_stream(target, nil), let parameters = stream.pointee.codecpar,
            let memory = av_mallocz(contents.count + Int(AV_INPUT_BUFFER_PADDING_SIZE))
        else { throw RecipeError("no memory") }
        UnsafeMutableRawBufferPointer(start: memory, count: contents.count).copyBytes(from: contents)
        parameters.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
        parameters.pointee.codec_id = mimeType == "image/png" ? AV_CODEC_ID_PNG : AV_CODEC_ID_TTF
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(contents.count)
        av_dict_set(&stream.pointee.metadata, "filename", name, 0)
        av_dict_set(&stream.pointee.metadata, "mimetype", mimeType, 0)
    }

    private static func copyPackets(
        of source: UnsafeMutablePointer<AVFormatContext>, to target: UnsafeMutablePointer<AVFormatContext>
    ) throws {
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        while let packet, av_read_frame(source, packet) >= 0 {
            let index = Int(packet.pointee.stream_index)
            guard let from = source.pointee.streams[index], let to = target.pointee.streams[index] else {
                continue
            }
            av_packet_rescale_ts(packet, from.pointee.time_base, to.pointee.time_base)
            try check(av_interleaved_write_frame(target, packet), "av_interleaved_write_frame")
        }
    }

    private static func check(_ status: Int32, _ call: String) throws {
        if status < 0 { throw RecipeError("\(call): \(status)") }
    }
}

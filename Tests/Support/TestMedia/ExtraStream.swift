import CFFmpeg
import CVTXShims

/// A stream that is muxed unchanged, such as a font, bitmap subtitles or timed metadata.
package struct ExtraStream: Sendable {
    package struct Entry: Sendable {
        package var start: Double
        package var seconds: Double
        package var bytes: [UInt8]

        package init(_ start: Double, _ seconds: Double, _ bytes: [UInt8]) {
            self.start = start
            self.seconds = seconds
            self.bytes = bytes
        }
    }

    /// libavcodec's name.
    package var codec: String
    package var extradata: [UInt8] = []
    package var metadata: [String: String] = [:]
    /// An attached file.
    package var isAttachment = false
    package var packets: [Entry] = []

    package init(_ codec: String, _ change: (inout ExtraStream) -> Void = { _ in }) {
        self.codec = codec
        change(&self)
    }

    /// An attached file.
    package static func file(_ contents: [UInt8], named name: String, mimeType: String) -> ExtraStream {
        ExtraStream(mimeType == "image/png" ? "png" : "ttf") {
            $0.extradata = contents
            $0.isAttachment = true
            $0.metadata = ["filename": name, "mimetype": mimeType]
        }
    }
}

extension ExtraStream {
    /// Copies the file `input`, with this stream added.
    package func add(to input: String, as output: String) throws {
        try Remux(input, output).run(adding: self)
    }
}

/// Adds a Dolby Vision configuration to a copy's video: profile 8 with a base layer (8.1), profile 5 without one.
package func writeDolbyVision(_ input: String, as output: String, profile: UInt8 = 8) throws {
    // C: `AVDOVIDecoderConfigurationRecord`. Version, profile, level; metadata and a base layer are present, which is
    // compatible with HDR10.
    let record: [UInt8] = [1, 0, profile, 1, 1, 0, 1, profile == 8 ? 1 : 0, 0]
    try Remux(input, output).run { stream in
        guard let target = vtx_stream_add_side_data(stream, AV_PKT_DATA_DOVI_CONF, record.count) else {
            throw RecipeError("no memory")
        }
        UnsafeMutableRawBufferPointer(start: target, count: record.count).copyBytes(from: record)
    }
}

/// Copies a file, packet by packet.
private final class Remux {
    private var source: UnsafeMutablePointer<AVFormatContext>?
    private var target: UnsafeMutablePointer<AVFormatContext>?
    private let output: String

    init(_ input: String, _ output: String) throws {
        self.output = output
        try check(avformat_open_input(&source, input, nil, nil), "avformat_open_input")
        try check(avformat_find_stream_info(source, nil), "avformat_find_stream_info")
        try check(avformat_alloc_output_context2(&target, nil, nil, output), "avformat_alloc_output_context2")
        // Dolby Vision's boxes are not part of the ISO standard.
        target?.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
    }

    deinit {
        avformat_close_input(&source)
        avformat_free_context(target)
    }

    func run(
        adding extra: ExtraStream? = nil, describing: (UnsafeMutablePointer<AVStream>) throws -> Void = { _ in }
    ) throws {
        guard let source, let target else { throw RecipeError("no context") }
        for index in 0..<Int(source.pointee.nb_streams) {
            if let from = source.pointee.streams[index] { try describing(try copy(from, to: target)) }
        }
        if let extra { try add(extra, to: target) }
        try check(avio_open(&target.pointee.pb, output, AVIO_FLAG_WRITE), "avio_open")
        defer { avio_closep(&target.pointee.pb) }
        try check(avformat_write_header(target, nil), "avformat_write_header")
        try writePackets(of: source, and: extra?.packets ?? [], to: target)
        try check(av_write_trailer(target), "av_write_trailer")
    }

    private func copy(
        _ from: UnsafeMutablePointer<AVStream>, to target: UnsafeMutablePointer<AVFormatContext>
    ) throws -> UnsafeMutablePointer<AVStream> {
        guard let stream = avformat_new_stream(target, nil) else { throw RecipeError("no memory") }
        try check(avcodec_parameters_copy(stream.pointee.codecpar, from.pointee.codecpar), "avcodec_parameters_copy")
        stream.pointee.time_base = from.pointee.time_base
        stream.pointee.codecpar.pointee.codec_tag = 0
        return stream
    }

    private func add(_ extra: ExtraStream, to target: UnsafeMutablePointer<AVFormatContext>) throws {
        guard let stream = avformat_new_stream(target, nil), let parameters = stream.pointee.codecpar,
            let descriptor = avcodec_descriptor_get_by_name(extra.codec)
        else { throw RecipeError("no codec \(extra.codec)") }
        parameters.pointee.codec_type = extra.isAttachment ? AVMEDIA_TYPE_ATTACHMENT : descriptor.pointee.type
        parameters.pointee.codec_id = descriptor.pointee.id
        stream.pointee.time_base = AVRational(num: 1, den: 90_000)
        for (key, value) in extra.metadata { av_dict_set(&stream.pointee.metadata, key, value, 0) }
        guard !extra.extradata.isEmpty else { return }
        guard let memory = av_mallocz(extra.extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            throw RecipeError("no memory")
        }
        UnsafeMutableRawBufferPointer(start: memory, count: extra.extradata.count).copyBytes(from: extra.extradata)
        parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        parameters.pointee.extradata_size = Int32(extra.extradata.count)
    }

    /// Interleaves the extra stream's packets by time.
    private func writePackets(
        of source: UnsafeMutablePointer<AVFormatContext>, and entries: [ExtraStream.Entry],
        to target: UnsafeMutablePointer<AVFormatContext>
    ) throws {
        var packet = av_packet_alloc()
        var entries = entries[...]
        defer { av_packet_free(&packet) }
        while let packet, av_read_frame(source, packet) >= 0 {
            let index = Int(packet.pointee.stream_index)
            guard let from = source.pointee.streams[index], let to = target.pointee.streams[index] else { continue }
            let seconds = Double(packet.pointee.dts) * av_q2d(from.pointee.time_base)
            while let next = entries.first, next.start <= seconds {
                try write(next, to: target)
                entries = entries.dropFirst()
            }
            av_packet_rescale_ts(packet, from.pointee.time_base, to.pointee.time_base)
            try check(av_interleaved_write_frame(target, packet), "av_interleaved_write_frame")
        }
        for entry in entries { try write(entry, to: target) }
    }

    private func write(_ entry: ExtraStream.Entry, to target: UnsafeMutablePointer<AVFormatContext>) throws {
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        let index = Int(target.pointee.nb_streams) - 1
        guard let packet, let stream = target.pointee.streams[index],
            av_new_packet(packet, Int32(entry.bytes.count)) >= 0
        else { throw RecipeError("no memory") }
        UnsafeMutableRawBufferPointer(start: packet.pointee.data, count: entry.bytes.count)
            .copyBytes(from: entry.bytes)
        let tick = av_q2d(stream.pointee.time_base)
        packet.pointee.stream_index = Int32(index)
        packet.pointee.pts = Int64((entry.start / tick).rounded())
        packet.pointee.dts = packet.pointee.pts
        packet.pointee.duration = Int64((entry.seconds / tick).rounded())
        packet.pointee.flags = AV_PKT_FLAG_KEY
        try check(av_interleaved_write_frame(target, packet), "av_interleaved_write_frame")
    }
}

private func check(_ status: Int32, _ call: String) throws {
    if status < 0 { throw RecipeError("\(call): \(status)") }
}

import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia

/// Interleaves packets into a file (C: `AVFormatContext` for writing).
///
/// Life cycle: `addStream` for each stream, `writeHeader`, `write` in any order of streams, `finish`. Unchecked: one
/// thread at a time calls it.
package final class Muxer: @unchecked Sendable {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private var timeBases: [Rational] = []
    /// The number of samples, at 48 kHz, by which a stream's packets are shifted; see `codecDelay`.
    private var codecDelays: [Int] = []
    /// The last decoding time of each audio stream of a muxer that requires increasing ones, in the file's time base.
    private var lastDTS: [Int: Int64] = [:]
    private var hasWrittenFragments = false
    /// Whether the header is written with the first fragment of a fragmented file.
    private var delaysHeader = false

    /// Interrupts blocking network calls; nil for a file.
    private let interruption: NetworkInterruption?
    /// The destination of the bytes, if not a file. It must outlive the context.
    private let sink: ByteStreamContext?

    /// Creates the file.
    ///
    /// - Parameter format: libavformat's short name of the muxer, for example `mp4`, `matroska`.
    package convenience init(path: String, format: String) throws(FFmpegError) {
        try self.init(target: "file:" + path, format: format, interruption: nil)
    }

    /// Connects to a network destination.
    ///
    /// - Parameters:
    ///   - url: A URL with one of libavformat's protocols: `udp://127.0.0.1:1234`.
    ///   - format: libavformat's short name of the muxer.
    ///   - interruption: Limits how long connecting, and each later call, may wait for the network.
    package convenience init(
        url: String, format: String, interruption: NetworkInterruption
    ) throws(FFmpegError) {
        try self.init(target: url, format: format, interruption: interruption)
    }

    /// Writes to a sequential destination, for formats that never seek back.
    ///
    /// - Parameter interruption: That of the destination, if it is a network.
    package init(
        writing bytes: any ByteSink, format: String, interruption: NetworkInterruption? = nil
    ) throws(FFmpegError) {
        let sink = try ByteStreamContext(writing: bytes)
        context = try Self.allocate("", format)
        context.pointee.pb = sink.pointer
        context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        (self.sink, self.interruption) = (sink, interruption)
    }

    private static func allocate(
        _ target: String, _ format: String
    ) throws(FFmpegError) -> UnsafeMutablePointer<AVFormatContext> {
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try check(
            avformat_alloc_output_context2(&allocated, nil, format, target), "avformat_alloc_output_context2")
        return try require(allocated, "avformat_alloc_output_context2")
    }

    private init(target: String, format: String, interruption: NetworkInterruption?) throws(FFmpegError) {
        let context = try Self.allocate(target, format)
        if let interruption { context.pointee.interrupt_callback = interruption.callback }
        do {
            interruption?.begin()
            try check(
                avio_open2(
                    &context.pointee.pb, target, AVIO_FLAG_WRITE, &context.pointee.interrupt_callback, nil),
                "avio_open2")
        } catch {
            avformat_free_context(context)
            throw error
        }
        // Last: once every property is set, a throw would run deinit as well.
        self.context = context
        (self.interruption, sink) = (interruption, nil)
    }

    deinit {
        interruption?.begin()
        _ = close()
        avformat_free_context(context)
    }

    /// Closes the file or connection. A byte sink is closed by its owner.
    private func close() -> Int32 {
        guard sink == nil else {
            context.pointee.pb = nil
            return 0
        }
        return avio_closep(&context.pointee.pb)
    }

    /// Whether parameter sets belong in the header instead of the stream (C: `AVFMT_GLOBALHEADER`).
    package static func wantsGlobalHeader(format: String) -> Bool {
        guard let found = av_guess_format(format, nil, nil) else { return false }
        return found.pointee.flags & AVFMT_GLOBALHEADER != 0
    }

    /// Adds a stream with all its properties.
    ///
    /// - Returns: the stream's index.
    package func addStream(_ description: OutputStreamDescription) throws(FFmpegError) -> Int {
        let stream = try require(avformat_new_stream(context, nil), "avformat_new_stream")
        codecDelays.append(codecDelay(of: description))
        try check(
            avcodec_parameters_copy(stream.pointee.codecpar, description.parameters.pointer),
            "avcodec_parameters_copy")
        stream.apply(description)
        if let source = description.sideDataSource, let from = source.demuxer.context.pointee.streams[source.index] {
            try check(vtx_stream_copy_side_data(stream, from), "av_stream_new_side_data")
        }
        try stream.setSideData(AV_PKT_DATA_DISPLAYMATRIX, description.displayMatrix?.elements)
        try stream.setSideData(
            AV_PKT_DATA_MASTERING_DISPLAY_METADATA, (description.hdrMetadata.masteringDisplay?.avMetadata).map { [$0] })
        try stream.setSideData(
            AV_PKT_DATA_CONTENT_LIGHT_LEVEL, (description.hdrMetadata.contentLightLevel?.avMetadata).map { [$0] })
        try stream.setSideData(AV_PKT_DATA_SPHERICAL, description.projection?.spherical)
        try stream.setSideData(AV_PKT_DATA_STEREO3D, description.projection?.stereo)
        try stream.setSideData(AV_PKT_DATA_DOVI_CONF, (description.dolbyVision?.avRecord).map { [$0] })
        return Int(stream.pointee.index)
    }

    /// Returns the codec delay of Opus in a Matroska file. Players subtract it from each timestamp, so it must be added
    /// if libavformat does not (Matroska `CodecDelay`; RFC 7845 5.1 `pre-skip`).
    private func codecDelay(of description: OutputStreamDescription) -> Int {
        guard description.parameters.codecName == "opus", vtx_matroska_moves_by_codec_delay() == 0,
            ["matroska", "webm"].contains(String(cString: context.pointee.oformat.pointee.name))
        else { return 0 }
        return description.initialPadding ?? description.parameters.initialPadding
    }

    package func setMetadata(_ entries: [MetadataEntry]) {
        writeDictionary(&context.pointee.metadata, entries)
    }

    /// Sets the chapters. The context frees them, so they are allocated in the same way as in libavformat.
    package func setChapters(_ chapters: [Chapter]) throws(FFmpegError) {
        guard !chapters.isEmpty else { return }
        let size = MemoryLayout<UnsafeMutablePointer<AVChapter>?>.stride
        guard let list = av_calloc(chapters.count, size) else { throw FFmpegError("av_calloc", -ENOMEM) }
        context.pointee.chapters = list.bindMemory(
            to: UnsafeMutablePointer<AVChapter>?.self, capacity: chapters.count)
        for (index, chapter) in chapters.enumerated() {
            context.pointee.chapters[index] = try chapter.avChapter()
            context.pointee.nb_chapters = UInt32(index + 1)
        }
    }

    /// Limits how long packets wait for a stream that has none, in seconds (C: `max_interleave_delta`); 10 by default.
    package func limitInterleaving(to seconds: Double) {
        context.pointee.max_interleave_delta = Int64(seconds * 1_000_000)
    }

    /// Writes the header.
    ///
    /// - Parameter options: The muxer's private options, for example `movflags`.
    /// - Throws: also for an option that the muxer does not recognize.
    package func writeHeader(options: [(String, String)]) throws(FFmpegError) {
        interruption?.begin()
        let header = try withDictionary(options) { dictionary throws(FFmpegError) in
            try check(avformat_write_header(context, dictionary), "avformat_write_header")
        }
        if let unknown = header.unused.first {
            throw FFmpegError("avformat_write_header(\(unknown))", -EINVAL)
        }
        timeBases = (0..<Int(context.pointee.nb_streams)).map { index in
            Rational(context.pointee.streams[index]!.pointee.time_base)
        }
        delaysHeader = options.contains { $0.0 == "movflags" && $0.1.contains("delay_moov") }
        if sink != nil { try flush() }
    }

    /// Returns a stream's time base in the file, known after the header.
    package func timeBase(of stream: Int) -> Rational { timeBases[stream] }

    /// Writes a packet and takes it over. libavformat buffers it until the other streams have caught up.
    package func write(_ packet: Packet, to stream: Int) throws(FFmpegError) {
        interruption?.begin()
        packet.rescale(to: timeBases[stream])
        packet.shift(
            by: MediaTime.rescale(Int64(codecDelays[stream]), from: Rational(1, 48_000), to: timeBases[stream]))
        separate(packet, stream)
        packet.streamIndex = stream
        packet.pointer.pointee.pos = -1
        try check(av_interleaved_write_frame(context, packet.pointer), "av_interleaved_write_frame")
        // libavio stores the error of a flush that no call has returned.
        if let io = context.pointee.pb, io.pointee.error < 0 { throw FFmpegError("avio_write", io.pointee.error) }
    }

    /// Separates audio packets that are shorter than a tick of their source (C: `AVFMT_TS_NONSTRICT`).
    private func separate(_ packet: Packet, _ stream: Int) {
        let isAudio = context.pointee.streams[stream]?.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
        let isStrict = context.pointee.oformat.pointee.flags & AVFMT_TS_NONSTRICT == 0
        guard isAudio, isStrict, let dts = packet.dts else { return }
        if let last = lastDTS[stream], dts <= last { (packet.dts, packet.pts) = (last + 1, last + 1) }
        lastDTS[stream] = packet.dts
    }

    /// Ends a fragment of a fragmented file (C: `av_write_frame` without a packet, with `frag_custom`). If the header
    /// is delayed, the first call writes the header instead of the fragment.
    package func endFragment() throws(FFmpegError) {
        let hadHeader = hasWrittenFragments || !delaysHeader
        hasWrittenFragments = true
        // Packets that wait for other streams belong in the fragment.
        if context.pointee.nb_streams > 1 {
            try check(av_interleaved_write_frame(context, nil), "av_interleaved_write_frame")
        }
        for _ in 0..<(hadHeader ? 1 : 2) { try check(av_write_frame(context, nil), "av_write_frame") }
        if sink != nil { try flush() }
    }

    /// Writes libavio's buffer to the output.
    private func flush() throws(FFmpegError) {
        guard let io = context.pointee.pb else { return }
        avio_flush(io)
        try check(io.pointee.error, "avio_flush")
    }

    /// Writes the trailer and closes the file.
    ///
    /// - Parameter linger: How long a connection stays open after its last packet, in microseconds.
    package func finish(linger: Int = 0) throws(FFmpegError) {
        interruption?.begin()
        let trailer = av_write_trailer(context)
        avio_flush(context.pointee.pb)
        let pending = context.pointee.pb.pointee.error
        if linger > 0, pending >= 0 { usleep(UInt32(clamping: linger)) }
        let closing = close()
        try check(trailer, "av_write_trailer")
        try check(pending, "avio_flush")
        try check(closing, "avio_close")
    }

    /// The number of bytes written so far.
    package var byteCount: Int64 { context.pointee.pb.map { avio_seek($0, 0, SEEK_CUR) } ?? 0 }
}

extension Muxer {
    /// Whether libavformat's muxer supports the codec (C: `avformat_query_codec`).
    package static func holds(codec: String, format: String) -> Bool {
        guard let muxer = av_guess_format(format, nil, nil),
            let descriptor = avcodec_descriptor_get_by_name(codec)
        else { return false }
        return avformat_query_codec(muxer, descriptor.pointee.id, FF_COMPLIANCE_NORMAL) == 1
    }
}

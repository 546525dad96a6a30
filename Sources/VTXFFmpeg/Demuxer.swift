import CFFmpeg
import CVTXShims
package import VTXMedia

/// Takes a file apart into packets (C: `AVFormatContext` for reading).
///
/// Unchecked: one thread reads; what others look at (`streams`, `metadata` ...) was copied out at opening.
package final class Demuxer: @unchecked Sendable {
    let context: UnsafeMutablePointer<AVFormatContext>
    package let streams: [InputStream]
    package let chapters: [Chapter]
    package let metadata: [MetadataEntry]
    /// libavformat's short names, for example `mov,mp4,m4a,3gp,3g2,mj2`.
    package let formatName: String
    /// Where the bytes come from, if not from a file; it has to outlive the context.
    private let source: ByteSourceContext?

    /// How far to read on for a stream that the file lists and that has not shown itself yet.
    package struct Reach: Sendable {
        package var bytes: Int
        package var seconds: Int

        package init(bytes: Int, seconds: Int) {
            self.bytes = bytes
            self.seconds = seconds
        }

        /// Broadcasts begin a stream late; this is read only where one has not shown itself sooner.
        package static let usual = Reach(bytes: 20_000_000, seconds: 15)
    }

    /// Opens a file and looks at its first packets.
    ///
    /// - Parameters:
    ///   - format: libavformat's name of the demuxer, where it is known; else it is told from the contents.
    ///   - refusing: demuxers that must not be used, by libavformat's names.
    ///   - frameRate: what a raw stream that does not tell its own has; libavformat assumes 25.
    /// - Throws: `FFmpegError` of `avformat_open_input` (not a media file, no permission ...) or of
    ///   `avformat_find_stream_info`.
    package convenience init(
        path: String, format: String? = nil, refusing: Set<String> = [], reach: Reach = .usual,
        frameRate: Rational? = nil
    ) throws(FFmpegError) {
        try self.init(
            url: "file:" + path, source: nil, format: format, refusing: refusing, reach: reach, frameRate: frameRate)
    }

    /// Opens what can be read only once, from its beginning to its end; containers that need more refuse.
    package convenience init(reading bytes: any ByteSource, refusing: Set<String> = []) throws(FFmpegError) {
        let source = try ByteSourceContext(bytes)
        try self.init(url: "", source: source, format: nil, refusing: refusing, reach: .usual, frameRate: nil)
    }

    private init(
        url: String, source: ByteSourceContext?, format: String?, refusing: Set<String>, reach: Reach,
        frameRate: Rational?
    ) throws(FFmpegError) {
        var opened: UnsafeMutablePointer<AVFormatContext>?
        if let source {
            // It is freed by the call that fails.
            opened = try require(avformat_alloc_context(), "avformat_alloc_context")
            opened?.pointee.pb = source.pointer
        }
        // Playlists and the like must not make vtx open other files, let alone connections.
        let limits =
            [
                ("protocol_whitelist", "file"), ("format_whitelist", Self.formats(except: refusing)),
                ("probesize", "\(reach.bytes)"), ("analyzeduration", "\(reach.seconds * 1_000_000)"),
            ] + (frameRate.map { [("framerate", "\($0)")] } ?? [])
        let known = format.flatMap { av_find_input_format($0) }
        _ = try withDictionary(limits) { options throws(FFmpegError) in
            try check(avformat_open_input(&opened, url, known, options), "avformat_open_input")
        }
        guard let context = opened else { throw FFmpegError("avformat_open_input", vtx_error_external) }
        self.context = context
        self.source = source
        let status = avformat_find_stream_info(context, nil)
        streams = (0..<Int(context.pointee.nb_streams)).compactMap { index in
            context.pointee.streams[index].flatMap { InputStream(context, $0) }
        }
        chapters = Chapter.all(of: context)
        metadata = readDictionary(context.pointee.metadata)
        formatName = String(cString: context.pointee.iformat.pointee.name)
        // A failure after this point runs deinit, which closes the file.
        try check(status, "avformat_find_stream_info")
    }

    private static func formats(except refused: Set<String>) -> String {
        var names: [String] = []
        var position: UnsafeMutableRawPointer?
        while let format = av_demuxer_iterate(&position) {
            let name = String(cString: format.pointee.name)
            if !refused.contains(name) { names.append(name) }
        }
        return names.joined(separator: ",")
    }

    /// The demuxer that libavformat would choose for a file; nil for none (C: `av_probe_input_buffer2`).
    package static func probeFormat(of path: String) -> String? {
        var io: UnsafeMutablePointer<AVIOContext>?
        guard avio_open(&io, "file:" + path, AVIO_FLAG_READ) >= 0 else { return nil }
        defer { avio_closep(&io) }
        var format: UnsafePointer<AVInputFormat>?
        guard av_probe_input_buffer2(io, &format, "file:" + path, nil, 0, 0) >= 0 else { return nil }
        return String(optional: format?.pointee.name)
    }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = context
        avformat_close_input(&context)
    }

    /// The next packet of the file, of whichever stream; nil at its end.
    package func read() throws(FFmpegError) -> Packet? {
        let packet = try Packet(timeBase: Rational(1, 1))
        let status = av_read_frame(context, packet.pointer)
        if status == vtx_error_end_of_file { return nil }
        try check(status, "av_read_frame")
        guard let stream = context.pointee.streams[packet.streamIndex] else { return packet }
        packet.declare(timeBase: Rational(stream.pointee.time_base))
        return packet
    }

    /// Goes to the last key frame at or before a time.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        let target = time.rescaled(to: MediaTime.microseconds).ticks
        try check(avformat_seek_file(context, -1, .min, target, target, 0), "avformat_seek_file")
    }

    /// Packets of other streams are not even read where the container can step over them.
    package func keepOnly(_ indices: Set<Int>) {
        for index in 0..<Int(context.pointee.nb_streams) {
            context.pointee.streams[index]?.pointee.discard =
                indices.contains(index) ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }
}

extension Demuxer {
    /// The earliest timestamp of all streams.
    package var startTime: MediaTime? {
        timestamp(context.pointee.start_time).map { MediaTime($0, MediaTime.microseconds) }
    }

    /// What the container says; it may be wrong.
    package var duration: MediaTime? {
        timestamp(context.pointee.duration).map { MediaTime($0, MediaTime.microseconds) }
    }

    /// False where the duration is a guess from the file's size and bit rate.
    package var hasExactDuration: Bool {
        context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
    }

    /// True for MPEG-TS and its like: timestamps start anywhere, and may have discontinuities (C: `AVFMT_TS_DISCONT`).
    package var hasDiscontinuities: Bool { context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// True where the format itself has no times: frames come at the rate that the demuxer is told.
    package var takesFrameRate: Bool {
        guard var optionClass = context.pointee.iformat.pointee.priv_class else { return false }
        return withUnsafeMutablePointer(to: &optionClass) {
            av_opt_find($0, "framerate", nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
        }
    }

    /// True for elementary streams, whose packets have no times of their own (C: `AVFMT_NOTIMESTAMPS`).
    package var hasNoTimestamps: Bool { context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }
}

extension InputStream {
    init?(_ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>) {
        guard let parameters = try? CodecParameters(copying: stream.pointee.codecpar) else { return nil }
        self.init(info: StreamInfo(context, stream, parameters), parameters: parameters)
        attachedPicture = Array(
            UnsafeBufferPointer(
                start: stream.pointee.attached_pic.data, count: Int(stream.pointee.attached_pic.size)))
    }
}

extension StreamInfo {
    fileprivate init(
        _ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>,
        _ parameters: CodecParameters
    ) {
        self.init(
            index: Int(stream.pointee.index), parameters, timeBase: Rational(stream.pointee.time_base))
        startTime = timestamp(stream.pointee.start_time)
        duration = timestamp(stream.pointee.duration)
        frameCount = Int(stream.pointee.nb_frames)
        averageFrameRate = Rational(vtx_stream_average_frame_rate(context, stream))
        realFrameRate = Rational(vtx_stream_real_frame_rate(context, stream))
        sampleAspectRatio = Rational(av_guess_sample_aspect_ratio(context, stream, nil))
        disposition = Disposition(rawValue: stream.pointee.disposition)
        metadata = readDictionary(stream.pointee.metadata)
        displayMatrix = stream.sideData(AV_PKT_DATA_DISPLAYMATRIX, atLeast: 36).map(DisplayMatrix.init(bytes:))
        hdrMetadata = HDRMetadata(
            masteringDisplay: stream.sideData(
                AV_PKT_DATA_MASTERING_DISPLAY_METADATA, atLeast: MemoryLayout<AVMasteringDisplayMetadata>.size
            ).flatMap(MasteringDisplay.init(bytes:)),
            contentLightLevel: stream.sideData(
                AV_PKT_DATA_CONTENT_LIGHT_LEVEL, atLeast: MemoryLayout<AVContentLightMetadata>.size
            ).flatMap(ContentLightLevel.init(bytes:)))
        sideDataKinds = stream.sideDataNames
        dolbyVisionProfile = stream.sideData(
            AV_PKT_DATA_DOVI_CONF, atLeast: MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
        ).map { record in
            record.withMemoryRebound(to: AVDOVIDecoderConfigurationRecord.self, capacity: 1) {
                Int($0.pointee.dv_profile)
            }
        }
        wrapBits = Int(stream.pointee.pts_wrap_bits)
    }
}

extension UnsafeMutablePointer<AVStream> {
    fileprivate func sideData(_ type: AVPacketSideDataType, atLeast size: Int) -> UnsafePointer<UInt8>? {
        var found = 0
        let data = vtx_stream_side_data(self, type, &found)
        return found >= size ? data : nil
    }

    fileprivate var sideDataNames: [String] {
        [
            AV_PKT_DATA_DOVI_CONF, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL, AV_PKT_DATA_ICC_PROFILE,
            AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        ]
        .filter { sideData($0, atLeast: 1) != nil }
        .compactMap { String(optional: av_packet_side_data_name($0)) }
    }
}

extension Chapter {
    fileprivate static func all(of context: UnsafeMutablePointer<AVFormatContext>) -> [Chapter] {
        (0..<Int(context.pointee.nb_chapters)).compactMap { index in
            guard let chapter = context.pointee.chapters[index]?.pointee, let start = timestamp(chapter.start)
            else { return nil }
            let timeBase = Rational(chapter.time_base)
            return Chapter(
                id: Int64(chapter.id), start: MediaTime(start, timeBase),
                end: MediaTime(timestamp(chapter.end) ?? start, timeBase), metadata: readDictionary(chapter.metadata))
        }
    }
}

extension Demuxer {
    /// How many packets of a stream the container's index lists, and how many of them lie beyond the end of a file of
    /// this many bytes.
    package func indexedPackets(of stream: Int, beyond byteCount: Int64) -> (total: Int, missing: Int) {
        guard let stream = context.pointee.streams[stream] else { return (0, 0) }
        let total = avformat_index_get_entries_count(stream)
        var missing = 0
        // Entries are in decoding order, so in most files in that of their bytes: look from the end.
        for position in stride(from: total - 1, through: 0, by: -1) {
            guard let entry = avformat_index_get_entry(stream, position)?.pointee else { break }
            let end = entry.pos.addingReportingOverflow(Int64(entry.size))
            guard end.overflow || end.partialValue > byteCount else { break }
            missing += 1
        }
        return (Int(total), missing)
    }
}

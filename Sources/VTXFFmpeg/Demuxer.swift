import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia
import VTXSystem

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
    private let source: ByteStreamContext?
    /// Ends waiting for the other side; nil for a file.
    private let interruption: NetworkInterruption?

    /// Opens a file and looks at its first packets.
    ///
    /// - Parameters:
    ///   - format: libavformat's name of the demuxer, where it is known; else it is told from the contents.
    ///   - refusing: demuxers that must not be used, by libavformat's names.
    ///   - frameRate: what a raw stream that does not tell its own has; libavformat assumes 25.
    /// - Throws: `FFmpegError` of `avformat_open_input` (not a media file, no permission ...) or of
    ///   `avformat_find_stream_info`.
    package convenience init(
        path: String, format: String? = nil, refusing: Set<String> = [], probeLimits: ProbeLimits = .usual,
        frameRate: Rational? = nil
    ) throws(FFmpegError) {
        let options = DemuxerOptions(format: format, refused: refusing, probeLimits: probeLimits, frameRate: frameRate)
        try self.init(url: "file:" + path, source: nil, options: options)
    }

    /// Opens what can be read only once, from its beginning to its end; containers that need more refuse.
    package convenience init(
        reading bytes: any ByteSource, format: String? = nil, refusing: Set<String> = [], frameRate: Rational? = nil
    ) throws(FFmpegError) {
        let options = DemuxerOptions(format: format, refused: refusing, frameRate: frameRate)
        try self.init(url: "", source: ByteStreamContext(reading: bytes), options: options)
    }

    /// Reads what comes once, of known formats alone.
    ///
    /// - Parameters:
    ///   - formats: libavformat's names.
    ///   - frameRate: as for a file.
    package convenience init(
        live bytes: any ByteSource, formats: [String], frameRate: Rational?
    ) throws(FFmpegError) {
        let options = DemuxerOptions(probeLimits: .live, frameRate: frameRate, formats: formats)
        try self.init(url: "", source: ByteStreamContext(reading: bytes), options: options)
    }

    /// Connects to the other side.
    ///
    /// - Parameters:
    ///   - url: with a protocol of libavformat's: `udp://127.0.0.1:1234`.
    ///   - format: libavformat's name of the demuxer.
    ///   - protocols: what may be used on the way.
    ///   - interruption: bounds the time for which each call may wait for the network.
    ///   - timeout: seconds for the first of them.
    ///   - options: the demuxer's and the protocol's own.
    package convenience init(
        url: String, format: String, protocols: [String], interruption: NetworkInterruption, timeout: Double,
        options: [(String, String)]
    ) throws(FFmpegError) {
        let options = DemuxerOptions(
            format: format, probeLimits: .live, protocols: protocols, formats: [format], further: options,
            interruption: interruption, openingTimeout: timeout)
        try self.init(url: url, source: nil, options: options)
    }

    private init(
        url: String, source: ByteStreamContext?, options: DemuxerOptions
    ) throws(FFmpegError) {
        let context = try options.open(url, source)
        self.context = context
        self.source = source
        interruption = options.interruption
        interruption?.begin(options.openingTimeout)
        let status = avformat_find_stream_info(context, nil)
        streams = (0..<Int(context.pointee.nb_streams)).compactMap { index in
            context.pointee.streams[index].flatMap { InputStream(context, $0) }
        }
        chapters = Chapter.all(of: context)
        metadata = readDictionary(context.pointee.metadata)
        formatName = String(cString: context.pointee.iformat.pointee.name)
        // A failure after this point runs deinit, which closes the file.
        try check(status, "avformat_find_stream_info")
        interruption?.begin()
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
        interruption?.begin(1)
        avformat_close_input(&context)
    }

    /// The next packet of the file, of whichever stream; nil at its end.
    package func read() throws(FFmpegError) -> Packet? {
        let packet = try Packet(timeBase: Rational(1, 1))
        if interruption?.isCut != true { interruption?.begin() }
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

    /// Fills in presentation times that the container leaves out, from the decoding times of what follows (C:
    /// `AVFMT_FLAG_GENPTS`).
    package func derivePresentationTimes() { context.pointee.flags |= AVFMT_FLAG_GENPTS }

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

    /// When the key frames of a stream are decoded, as far as the container's index lists them; ticks of its time base.
    package func indexedKeyFrames(of stream: Int) -> [Int64] {
        guard let stream = context.pointee.streams[stream] else { return [] }
        return (0..<avformat_index_get_entries_count(stream)).compactMap { position in
            guard let entry = avformat_index_get_entry(stream, position)?.pointee else { return nil }
            return entry.flags & AVINDEX_KEYFRAME != 0 ? entry.timestamp : nil
        }
    }
}

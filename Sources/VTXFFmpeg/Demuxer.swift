import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia
import VTXSystem

/// Splits a file into packets (C: `AVFormatContext` for reading).
///
/// Unchecked: one thread reads. Properties that other threads access (`streams`, `metadata` ...) are copied when the
/// file is opened.
package final class Demuxer: @unchecked Sendable {
    let context: UnsafeMutablePointer<AVFormatContext>
    package let streams: [InputStream]
    package let chapters: [Chapter]
    package let metadata: [MetadataEntry]
    /// The programs of a transport stream.
    package let programs: [Program]
    /// libavformat's short names, for example `mov,mp4,m4a,3gp,3g2,mj2`.
    package let formatName: String
    /// The source of the bytes, if not a file. It must outlive the context.
    private let source: ByteStreamContext?
    /// Interrupts blocking network calls; nil for a file.
    private let interruption: NetworkInterruption?
    /// Whether libavformat skips damage to the next packet, and only logs an error.
    private let skipsDamage: Bool
    /// How often `read()` has skipped damage without an error.
    package private(set) var skippedDamageCount = 0

    /// Opens a file and probes its first packets.
    ///
    /// - Parameters:
    ///   - format: libavformat's name of the demuxer; nil to detect it from the contents.
    ///   - refusing: libavformat's names of demuxers that must not be used.
    ///   - frameRate: The frame rate of a raw stream that does not specify one; libavformat assumes 25.
    /// - Throws: `FFmpegError` of `avformat_open_input` (not a media file, no permission ...) or of
    ///   `avformat_find_stream_info`.
    package convenience init(
        path: String, format: String? = nil, refusing: Set<String> = [], probeLimits: ProbeLimits = .usual,
        frameRate: Rational? = nil
    ) throws(FFmpegError) {
        let options = DemuxerOptions(format: format, refused: refusing, probeLimits: probeLimits, frameRate: frameRate)
        try self.init(url: "file:" + path, source: nil, options: options)
    }

    /// Opens a source that is read only once, sequentially. Containers that require seeking fail.
    package convenience init(
        reading bytes: any ByteSource, format: String? = nil, refusing: Set<String> = [], frameRate: Rational? = nil
    ) throws(FFmpegError) {
        let options = DemuxerOptions(format: format, refused: refusing, frameRate: frameRate)
        try self.init(url: "", source: ByteStreamContext(reading: bytes), options: options)
    }

    /// Reads a source sequentially, limited to known formats.
    ///
    /// - Parameters:
    ///   - formats: libavformat's names.
    ///   - frameRate: As for a file.
    package convenience init(
        live bytes: any ByteSource, formats: [String], frameRate: Rational?
    ) throws(FFmpegError) {
        let options = DemuxerOptions(probeLimits: .live, frameRate: frameRate, formats: formats)
        try self.init(url: "", source: ByteStreamContext(reading: bytes), options: options)
    }

    /// Connects to a network source.
    ///
    /// - Parameters:
    ///   - url: A URL with one of libavformat's protocols: `udp://127.0.0.1:1234`.
    ///   - format: libavformat's name of the demuxer.
    ///   - protocols: The protocols that the connection may use.
    ///   - interruption: Limits how long each call may wait for the network.
    ///   - timeout: The limit for the first call, in seconds.
    ///   - options: Options of the demuxer and the protocol.
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
        // An interrupted opening is not an error of every demuxer.
        if interruption?.isCut != true { interruption?.begin(options.openingTimeout) }
        let status = avformat_find_stream_info(context, nil)
        streams = (0..<Int(context.pointee.nb_streams)).compactMap { index in
            context.pointee.streams[index].flatMap { InputStream(context, $0) }
        }
        chapters = Chapter.all(of: context)
        metadata = readDictionary(context.pointee.metadata)
        programs = Program.all(of: context)
        formatName = String(cString: context.pointee.iformat.pointee.name)
        skipsDamage = Self.damageSkippers.contains(formatName)
        // If anything fails after this point, deinit runs and closes the file.
        try check(status, "avformat_find_stream_info")
        interruption?.begin()
    }

    /// Returns the demuxer that libavformat would choose for a file; nil for none (C: `av_probe_input_buffer2`).
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

    /// libavformat's names of the demuxers that skip damage.
    private static let damageSkippers: Set<String> = ["matroska,webm", "ogg", "asf"]

    /// Returns the next packet of the file, from any stream; nil at the end.
    package func read() throws(FFmpegError) -> Packet? {
        let packet = try Packet(timeBase: Rational(1, 1))
        if interruption?.isCut != true { interruption?.begin() }
        let status = readFrame(into: packet)
        if status == vtx_error_end_of_file { return nil }
        try check(status, "av_read_frame")
        guard let stream = context.pointee.streams[packet.streamIndex] else { return packet }
        packet.declare(timeBase: Rational(stream.pointee.time_base))
        return packet
    }

    private func readFrame(into packet: Packet) -> Int32 {
        guard skipsDamage else { return av_read_frame(context, packet.pointer) }
        let (status, errors) = LibraryLog.countingErrors(of: context) { av_read_frame(context, packet.pointer) }
        if status >= 0, errors > 0 { skippedDamageCount += 1 }
        return status
    }

    /// Seeks to the last key frame at or before a time.
    package func seek(to time: MediaTime) throws(FFmpegError) {
        let target = time.rescaled(to: MediaTime.microseconds).ticks
        try check(avformat_seek_file(context, -1, .min, target, target, 0), "avformat_seek_file")
    }

    /// Derives missing presentation timestamps from the decoding timestamps of the following packets (C:
    /// `AVFMT_FLAG_GENPTS`).
    package func derivePresentationTimes() { context.pointee.flags |= AVFMT_FLAG_GENPTS }

    /// Discards packets of other streams. Containers that can skip them do not even read them.
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

    /// The duration according to the container, which may be wrong.
    package var duration: MediaTime? {
        timestamp(context.pointee.duration).map { MediaTime($0, MediaTime.microseconds) }
    }

    /// Whether the duration is exact, not estimated from the file's size and bit rate.
    package var hasExactDuration: Bool {
        context.pointee.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE
    }

    /// Whether timestamps may start anywhere and have discontinuities, as in MPEG-TS (C: `AVFMT_TS_DISCONT`).
    package var hasDiscontinuities: Bool { context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Whether the format has no timestamps, so that the demuxer's `framerate` option determines them.
    package var takesFrameRate: Bool {
        guard var optionClass = context.pointee.iformat.pointee.priv_class else { return false }
        return withUnsafeMutablePointer(to: &optionClass) {
            av_opt_find($0, "framerate", nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
        }
    }

    /// Whether packets have no timestamps, as in elementary streams (C: `AVFMT_NOTIMESTAMPS`).
    package var hasNoTimestamps: Bool { context.pointee.iformat.pointee.flags & AVFMT_NOTIMESTAMPS != 0 }
}

extension Demuxer {
    /// Returns how many packets of a stream the container's index lists, and how many of them are beyond the end of a
    /// file of this many bytes.
    package func indexedPackets(of stream: Int, beyond byteCount: Int64) -> (total: Int, missing: Int) {
        guard let stream = context.pointee.streams[stream] else { return (0, 0) }
        let total = avformat_index_get_entries_count(stream)
        var missing = 0
        // Entries are in decoding order, which in most files is also the byte order: search from the end.
        for position in stride(from: total - 1, through: 0, by: -1) {
            guard let entry = avformat_index_get_entry(stream, position)?.pointee else { break }
            let end = entry.pos.addingReportingOverflow(Int64(entry.size))
            guard end.overflow || end.partialValue > byteCount else { break }
            missing += 1
        }
        return (Int(total), missing)
    }

    /// Returns the decoding timestamps of a stream's key frames that the container's index lists, in ticks of its time
    /// base.
    package func indexedKeyFrames(of stream: Int) -> [Int64] {
        guard let stream = context.pointee.streams[stream] else { return [] }
        return (0..<avformat_index_get_entries_count(stream)).compactMap { position in
            guard let entry = avformat_index_get_entry(stream, position)?.pointee else { return nil }
            return entry.flags & AVINDEX_KEYFRAME != 0 ? entry.timestamp : nil
        }
    }
}

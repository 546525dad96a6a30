package import VTXFFmpeg
package import VTXMedia
import VTXPlaylist
import VTXSession
import VTXSystem
package import VTXTask

/// Encodes a camera's frames once for all outputs.
///
/// Unchecked: one thread at a time calls it.
package final class CaptureRecorder: @unchecked Sendable {
    /// The format of the source's frames.
    private var format: CaptureFormat
    private(set) var encoder: CaptureEncoder
    /// Opens an encoder for another format or maximum bit rate; nil if the first one is final.
    private let reopen: Reopen?
    private let stream: CaptureStreamFormat
    /// Whether all outputs can contain H.264.
    private let takesH264: Bool
    private let writers: [CaptureWriter]
    /// Schedules key frames for the segments of a playlist.
    private var segments: SegmentSchedule?
    package private(set) var frameCount = 0
    /// The time of the first frame, in seconds on the monotonic clock; nil if unknown.
    package var beginning: Double?
    private var lastTicks: Int64 = 0
    /// nil without a live output.
    private var bitrate: AdaptiveBitrate?
    private let report: @Sendable (Notice) -> Void
    private let now: @Sendable () -> Double

    typealias Reopen = (CaptureFormat, VideoCodec?, _ maxBitrate: Int?) throws(TranscodeError) -> CaptureEncoder

    init(
        _ format: CaptureFormat, audio: CaptureAudioFormat? = nil, _ encoder: CaptureEncoder, usesGlobalHeader: Bool,
        takesH264: Bool = true, _ writers: [CaptureWriter], segments: SegmentSchedule? = nil,
        report: @escaping @Sendable (Notice) -> Void = { _ in },
        now: @escaping @Sendable () -> Double = { MonotonicClock.seconds },
        reopen: Reopen? = nil
    ) {
        (self.format, self.encoder, self.writers, self.segments) = (format, encoder, writers, segments)
        (self.takesH264, self.report, self.now) = (takesH264, report, now)
        bitrate = writers.contains(where: \.isLive) ? encoder.maxBitrate.map(AdaptiveBitrate.init) : nil
        self.reopen = reopen
        stream = CaptureStreamFormat(
            codec: encoder.codec, frameRate: format.frameRate, color: encoder.format.encodedColor,
            usesGlobalHeader: usesGlobalHeader, audio: audio)
        encoder.notices.forEach(report)
    }

    /// Whether H.264, which is encoded faster, would contain the same frames.
    package var couldBeH264: Bool { takesH264 && encoder.codec == .hevc && encoder.format.bitDepth == 8 }
    /// The size of the first output, which the result names.
    package var byteCount: Int64 { writers.first?.byteCount ?? 0 }
    /// The duration of the output.
    package var seconds: Double {
        frameCount == 0 ? 0 : MediaTime(lastTicks + format.frameTicks, CaptureTimeline.timeBase).seconds
    }
    /// The maximum time from the capture of a frame to its output, in the last second and the slowest output, in seconds;
    /// nil before the first frame.
    package var latency: Double? { writers.compactMap(\.latency).max() }
    /// The number of frames missing in outputs, with the outputs' names.
    var skipped: [(name: String, count: Int)] { writers.map { ($0.name, $0.skippedCount) }.filter { $0.count > 0 } }
    /// The outputs that are complete so far.
    var wholeOutputs: [String] { writers.filter { $0.failure == nil }.map(\.name) }

    /// - Parameter frame: A frame of a `CaptureDecoder`; the encoder may keep it.
    /// - Throws: an encoder error, or an output error if no output can continue.
    package func record(_ frame: Frame) throws(TranscodeError) {
        let failures = writers.compactMap(\.failure)
        if let failure = failures.first, failures.count == writers.count { throw failure }
        if frameCount == 0 { try adoptFormat(of: frame) }
        lastTicks = frame.pts ?? lastTicks
        try adaptBitrate()
        let beginsSegment = segments?.begins(at: lastTicks) ?? false
        do throws(SessionError) { try encoder.encoder.send(frame, forcesKeyFrame: beginsSegment) } catch {
            throw TranscodeError(encoding: error)
        }
        frameCount += 1
        try takePackets()
    }

    /// Lowers the bit rate before a slow network makes a live output drop frames, and raises it again.
    private func adaptBitrate() throws(TranscodeError) {
        guard var adapting = bitrate else { return }
        let wasLowered = adapting.isLowered
        let backlog = writers.filter(\.isLive).map(\.backlogSeconds).max() ?? 0
        guard let changed = adapting.observe(backlog: backlog, at: now()) else { return }
        if !encoder.changeBitrate(changed) {
            guard let reopen else { return }
            try drain()
            try replaceEncoder { () throws(TranscodeError) in try reopen(format, encoder.codec, changed) }
        }
        bitrate = adapting
        if wasLowered != adapting.isLowered { report(adapting.notice) }
    }

    /// Opens another encoder if the first frame has another format than the stream's header or the camera's driver says.
    private func adoptFormat(of frame: Frame) throws(TranscodeError) {
        let actual = format.described(by: frame)
        guard let reopen, actual != format else { return }
        try replaceEncoder { () throws(TranscodeError) in try reopen(actual, nil, nil) }
        format = actual
        if bitrate != nil { bitrate = encoder.maxBitrate.map(AdaptiveBitrate.init) }
    }

    private func replaceEncoder(_ open: () throws(TranscodeError) -> CaptureEncoder) throws(TranscodeError) {
        let known = Set(encoder.notices)
        encoder = try open()
        encoder.notices.filter { !known.contains($0) }.forEach(report)
    }

    /// Takes the rest of what the encoder has.
    private func drain() throws(TranscodeError) {
        do throws(SessionError) { try encoder.encoder.send(nil, forcesKeyFrame: false) } catch {
            throw TranscodeError(encoding: error)
        }
        try takePackets()
    }

    /// Flushes the encoder and closes all outputs.
    ///
    /// - Throws: the first error of an output, with the errors of the others.
    package func finish() throws(TranscodeError) {
        defer { abandon() }
        if frameCount > 0 { try drain() }
        abandon()
        let failures = writers.compactMap(\.failure)
        guard var failure = failures.first else { return }
        for other in failures.dropFirst() { failure.message = failure.message + "; " + other.message }
        throw failure
    }

    /// Closes the outputs without flushing the encoder.
    package func abandon() {
        writers.forEach { $0.end() }
        writers.forEach { $0.join() }
    }

    private func takePackets() throws(TranscodeError) {
        while true {
            let packet: CodecOutput<Packet>
            do throws(SessionError) { packet = try encoder.encoder.receive() } catch {
                throw TranscodeError(encoding: error)
            }
            guard case .unit(let packet) = packet else { return }
            if packet.duration == 0 { packet.duration = format.frameTicks }
            try hand(packet)
        }
    }

    private func hand(_ packet: Packet) throws(TranscodeError) {
        // A copy, because the thread with the audio reads `stream`.
        var stream = stream
        (stream.codec, stream.color) = (encoder.codec, encoder.format.encodedColor)
        (stream.hdrMetadata, stream.displayMatrix) = (encoder.format.hdrMetadata, encoder.format.displayMatrix)
        var own = CapturePacket(packet: packet, parameters: encoder.encoder.parameters, format: stream)
        if let beginning, let time = packet.presentationTime { own.captureTime = beginning + time.seconds }
        try hand(own)
    }

    /// Passes audio to every output. Timestamps are relative to the first frame. Any thread may call it.
    package func hand(audio packet: Packet) throws(TranscodeError) {
        guard let audio = stream.audio else { return }
        try hand(CapturePacket(packet: packet, parameters: audio.parameters, format: stream, isAudio: true))
    }

    private func hand(_ packet: CapturePacket) throws(TranscodeError) {
        for writer in writers {
            var own = packet
            do throws(FFmpegError) {
                own.packet = try packet.packet.reference()
                writer.put(own)
            } catch { throw TranscodeError(.sessionAllocationFailed, "no memory for a packet: \(error)") }
        }
    }
}

extension CaptureRecorder {
    /// Opens the encoder and all requested outputs, or none.
    ///
    /// - Parameters:
    ///   - pipe: Standard output, if it is one of them.
    ///   - report: Called from any thread when an output fails or reconnects.
    package static func open(
        _ request: CaptureRequest, _ format: CaptureFormat, audio: CaptureAudioFormat? = nil,
        _ encoders: any CaptureEncoderOpener, pipe: CapturePipe?, report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> CaptureRecorder {
        let destinations = try request.destinations()
        let usesGlobalHeader = destinations.contains { Muxer.wantsGlobalHeader(format: $0.muxerName) }
        let encoder = try encoders.open(
            format, codec: nil, usesGlobalHeader: usesGlobalHeader, maxBitrate: nil)
        for destination in destinations { try destination.check(encoder.codec) }
        var writers: [CaptureWriter] = []
        do throws(TranscodeError) {
            for destination in destinations {
                let isAlone = destinations.count == 1
                writers.append(try destination.open(request, pipe, isAlone: isAlone, report))
            }
        } catch {
            CaptureRecorder(format, encoder, usesGlobalHeader: usesGlobalHeader, writers).abandon()
            throw error
        }
        let hasPlaylist = destinations.contains { $0.kind == .playlist }
        return CaptureRecorder(
            format, audio: audio, encoder, usesGlobalHeader: usesGlobalHeader,
            takesH264: destinations.take(.h264), writers,
            segments: hasPlaylist ? SegmentSchedule(request.playlist) : nil, report: report,
            reopen: { format, codec, maxBitrate throws(TranscodeError) in
                try encoders.open(
                    format, codec: codec, usesGlobalHeader: usesGlobalHeader, maxBitrate: maxBitrate)
            })
    }
}

extension CaptureDestination {
    /// - Parameter isAlone: Whether it is the only output, so that none could continue without it.
    fileprivate func open(
        _ request: CaptureRequest, _ pipe: CapturePipe?, isAlone: Bool, _ report: @escaping @Sendable (Notice) -> Void
    ) throws(TranscodeError) -> CaptureWriter {
        let hearFailure: @Sendable (TranscodeError) -> Void = { error in
            if !isAlone { report(Notice(.captureOutput, error.message + "; this does not end the other outputs")) }
        }
        let replaces = request.overwrite == .replace
        switch kind {
        case .playlist:
            return try CaptureWriter(
                name, try CaptureSegments(name, request.playlist, replaces: replaces), .file, report: hearFailure)
        case .file(let container):
            return try CaptureWriter(
                name, try CaptureFile(name, container, replaces: replaces), .file, report: hearFailure)
        case .standardOutput:
            guard let pipe else { throw TranscodeError(.internal, "standard output has not been opened") }
            return try CaptureWriter(name, pipe, .live, report: hearFailure)
        case .live(let muxer):
            // It reports by itself that it is not connected, and the result does so at the end.
            return try CaptureWriter(name, CaptureConnection(name, muxer, report: report), .live)
        }
    }
}

extension TranscodeError {
    package init(encoding error: SessionError) {
        self.init(ErrorKind(error.code), "\(error.message)")
        stage = .encode
    }
}

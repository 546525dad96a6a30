import CFFmpeg
import CVTXShims
import VTXMedia

/// Decodes packets of one stream to frames (C: `AVCodecContext`, opened with a decoder).
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class DecoderContext: @unchecked Sendable {
    private let owner: CodecContext
    private let timeBase: Rational
    private var spare = SpareUnit<Frame>()
    private let reports = PacketReports()
    private var context: UnsafeMutablePointer<AVCodecContext> { owner.pointer }

    /// - Parameters:
    ///   - threads: 0 lets libavcodec choose by the number of cores.
    ///   - reorderDepth: The number of frames to delay for reordering, unless the stream specifies more.
    package convenience init(
        _ stream: InputStream, threads: Int = 0, reorderDepth: Int = 0
    ) throws(FFmpegError) {
        try self.init(stream, onGPU: false, reorderDepth) { context in context.pointee.thread_count = Int32(threads) }
    }

    /// Creates a decoder whose frames are on surfaces of the device. Frames that the device cannot decode are in
    /// memory.
    ///
    /// - Parameters:
    ///   - reorderDepth: As for software.
    ///   - allowsOtherProfile: Whether the device may decode with the configuration of another profile whose tools
    ///     suffice for the stream (C: `AV_HWACCEL_FLAG_ALLOW_PROFILE_MISMATCH`).
    package convenience init(
        _ stream: InputStream, on device: HardwareDevice, reorderDepth: Int = 0, allowsOtherProfile: Bool = false
    ) throws(FFmpegError) {
        try self.init(stream, onGPU: true, reorderDepth) { context in
            if allowsOtherProfile { context.pointee.hwaccel_flags |= AV_HWACCEL_FLAG_ALLOW_PROFILE_MISMATCH }
            context.pointee.hw_device_ctx = av_buffer_ref(device.reference)
            context.pointee.get_format = { preferSurfaces($0, $1) }
            // The GPU decodes one frame at a time; more threads would only hold more surfaces.
            context.pointee.thread_count = 1
        }
    }

    private init(
        _ stream: InputStream, onGPU: Bool, _ reorderDepth: Int,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(FFmpegError) {
        timeBase = stream.timeBase
        owner = try CodecContext(decoding: stream, onGPU: onGPU)
        context.pointee.framerate = stream.averageFrameRate.avRational
        // A header may specify any size; this limits the allocation (16384 x 16384).
        context.pointee.max_pixels = 1 << 28
        // Without it, libavcodec rounds cropping on the left down to its own alignment.
        context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        expectReordering(of: reorderDepth)
        reports.observe(context)
        owner.companion = reports
        configure(context)
        try owner.open()
    }

    /// Delays output by at least `depth` frames for reordering. With more than one thread, call it before the first
    /// packet.
    package func expectReordering(of depth: Int) {
        context.pointee.has_b_frames = max(context.pointee.has_b_frames, Int32(clamping: depth))
    }

    /// - Parameter packet: The packet; nil at the end of the stream, after which the decoder outputs its delayed
    ///   frames.
    package func send(_ packet: Packet?) throws(FFmpegError) {
        if let packet { reports.begin(packet, in: context) }
        let status = avcodec_send_packet(context, packet?.pointer)
        try checkShortage()
        // Draining a drained decoder is no error.
        if packet == nil && status == vtx_error_end_of_file { return }
        try checkResult(status, "avcodec_send_packet")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Frame> {
        let frame = try spare.get { () throws(FFmpegError) in try Frame(timeBase: timeBase) }
        let status = avcodec_receive_frame(context, frame.pointer)
        // Report an error only after all available frames.
        if status < 0 { try checkShortage() }
        switch status {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        default: try checkResult(status, "avcodec_receive_frame")
        }
        spare.giveAway()
        (frame.packetNumber, frame.damage) = reports.end(frame.pointer)
        frame.pts = frame.bestEffortTimestamp
        return .unit(frame)
    }

    /// Discards buffered frames and starts over, also after the end (C: `avcodec_flush_buffers`).
    package func reset() {
        avcodec_flush_buffers(context)
        reports.reset()
    }

    /// Returns the missing frames. Call it after `.endOfStream`.
    package func missingPictures() -> MissingPictures { reports.finish() }

    private func checkResult(_ status: Int32, _ call: StaticString) throws(FFmpegError) {
        if status < 0 { reports.noteFailure() }
        try check(status, call)
    }

    /// Throws if there was no surface for a frame, because other frames may depend on it.
    private func checkShortage() throws(FFmpegError) {
        guard context.pointee.hw_device_ctx != nil else { return }
        let status = reports.takeShortage()
        if status < 0 { throw FFmpegError("av_hwframe_get_buffer", status) }
    }
}

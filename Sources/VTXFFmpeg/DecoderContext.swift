import CFFmpeg
import CVTXShims
import VTXMedia

/// Turns packets of one stream into frames (C: `AVCodecContext`, opened with a decoder).
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class DecoderContext: @unchecked Sendable {
    private let owner: CodecContext
    private let timeBase: Rational
    private var context: UnsafeMutablePointer<AVCodecContext> { owner.pointer }

    /// - Parameter threads: 0 lets libavcodec choose by the number of cores.
    package init(_ stream: InputStream, threads: Int = 0) throws(FFmpegError) {
        timeBase = stream.timeBase
        owner = try CodecContext(decoding: stream)
        context.pointee.framerate = stream.averageFrameRate.avRational
        context.pointee.thread_count = Int32(threads)
        // A header may claim any size; this bounds what is allocated for it (16384 x 16384).
        context.pointee.max_pixels = 1 << 28
        try owner.open()
    }

    /// - Parameter packet: nil when there are no more: the decoder then gives out what it holds back.
    package func send(_ packet: Packet?) throws(FFmpegError) {
        let status = avcodec_send_packet(context, packet?.pointer)
        // Draining a drained decoder is no error.
        if packet == nil && status == vtx_error_end_of_file { return }
        try check(status, "avcodec_send_packet")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Frame> {
        let frame = try Frame(timeBase: timeBase)
        switch avcodec_receive_frame(context, frame.pointer) {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        case let status: try check(status, "avcodec_receive_frame")
        }
        frame.pts = frame.bestEffortTimestamp
        return .unit(frame)
    }

    /// Forgets everything, after a seek (C: `avcodec_flush_buffers`).
    package func flush() { avcodec_flush_buffers(context) }
}

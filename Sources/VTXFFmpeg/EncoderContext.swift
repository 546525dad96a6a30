import CFFmpeg
import CVTXShims
import Glibc
package import VTXMedia

/// Turns frames into packets (C: `AVCodecContext`, opened with an encoder).
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class EncoderContext: @unchecked Sendable {
    private let owner: CodecContext
    package let timeBase: Rational
    /// What the stream is, for a container's header; with parameter sets where they were asked for there.
    package let parameters: CodecParameters
    /// Options that neither libavcodec nor the encoder knew.
    package let unknownOptions: [String]
    private var spare = SpareUnit<Packet>()
    private var codedStatus: UInt32 = 0

    var context: UnsafeMutablePointer<AVCodecContext> { owner.pointer }

    init(
        codecName: String, timeBase: Rational, options: [(String, String)],
        configure: (UnsafeMutablePointer<AVCodecContext>) throws(FFmpegError) -> Void
    ) throws(FFmpegError) {
        owner = try CodecContext(encoder: codecName)
        self.timeBase = timeBase
        owner.pointer.pointee.time_base = timeBase.avRational
        try configure(owner.pointer)
        unknownOptions = try owner.open(options)
        parameters = try CodecParameters(of: owner.pointer)
    }

    /// True where this build of libavcodec has the encoder.
    package static func exists(_ codecName: String) -> Bool {
        avcodec_find_encoder_by_name(codecName) != nil
    }

    /// True where the encoder has a private option of this name (C: `av_opt_find`).
    package static func hasOption(_ option: String, of codecName: String) -> Bool {
        guard var optionClass = avcodec_find_encoder_by_name(codecName)?.pointee.priv_class else { return false }
        return withUnsafeMutablePointer(to: &optionClass) {
            av_opt_find($0, option, nil, 0, AV_OPT_SEARCH_FAKE_OBJ) != nil
        }
    }

    /// - Parameter frame: nil when there are no more: the encoder then gives out what it holds back.
    package func send(_ frame: Frame?) throws(FFmpegError) {
        let status = collectingStatus { avcodec_send_frame(context, frame?.pointer) }
        if frame == nil && status == vtx_error_end_of_file { return }
        try check(status, "avcodec_send_frame")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Packet> {
        let packet = try spare.get { () throws(FFmpegError) in try Packet(timeBase: timeBase) }
        switch collectingStatus({ avcodec_receive_packet(context, packet.pointer) }) {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        case let status: try check(status, "avcodec_receive_packet")
        }
        spare.giveAway()
        return .unit(packet)
    }

    /// What a GPU's driver has said since the last call of the frames that it coded (C: `VACodedBufferSegment.status`):
    /// the bits of all of them.
    package func takeCodedStatus() -> UInt32 {
        defer { codedStatus = 0 }
        return codedStatus
    }

    private func collectingStatus(_ call: () -> Int32) -> Int32 {
        withUnsafeMutablePointer(to: &codedStatus) { status in
            vtx_collect_coded_status(status)
            defer { vtx_collect_coded_status(nil) }
            return call()
        }
    }
}

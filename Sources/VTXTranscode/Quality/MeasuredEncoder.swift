import VTXFFmpeg
import VTXMedia
import VTXSession

/// An encoder whose packets are immediately decoded in software and compared with the original frames.
///
/// Unchecked: called by one thread at a time, as the contract requires.
final class MeasuredEncoder: VideoEncoder, @unchecked Sendable {
    private let encoder: any VideoEncoder
    private let timeBase: Rational
    private let comparison: PictureComparison
    private var decoder: DecoderContext?
    /// The frames whose packets have not been decoded, by time.
    private var originals: [Int64: Frame] = [:]
    private(set) var byteCount = 0

    init(_ encoder: any VideoEncoder, timeBase: Rational, _ comparison: PictureComparison) {
        (self.encoder, self.timeBase, self.comparison) = (encoder, timeBase, comparison)
    }

    var parameters: CodecParameters { encoder.parameters }
    var compromises: [String] { encoder.compromises }
    var mode: EncodingMode? { encoder.mode }
    var replacementCount: Int { encoder.replacementCount }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        if let frame, let pts = frame.pts { try measuring { () throws(FFmpegError) in try keep(frame, pts) } }
        try encoder.send(frame, forcesKeyFrame: forcesKeyFrame)
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        let output = try encoder.receive()
        switch output {
        case .unit(let packet): try measuring { () throws(FFmpegError) in try decode(packet) }
        case .endOfStream: try measuring { () throws(FFmpegError) in try finish() }
        case .needsInput: break
        }
        return output
    }

    private func keep(_ frame: Frame, _ pts: Int64) throws(FFmpegError) {
        originals[pts] = try frame.isOnSurface ? frame.download() : frame.reference()
        originals[pts]?.normalizeFullRangeFormat()
    }

    private func decode(_ packet: Packet) throws(FFmpegError) {
        byteCount += packet.byteCount
        if decoder == nil { decoder = try DecoderContext(InputStream(encoder.parameters, timeBase: timeBase)) }
        guard let decoder else { return }
        try decoder.send(packet)
        try compare(from: decoder)
    }

    private func finish() throws(FFmpegError) {
        guard let decoder else { return }
        try decoder.send(nil)
        try compare(from: decoder)
        try comparison.finish()
        self.decoder = nil
    }

    private func compare(from decoder: DecoderContext) throws(FFmpegError) {
        while case .unit(let frame) = try decoder.receive() {
            guard let pts = frame.pts, let original = originals.removeValue(forKey: pts) else { continue }
            frame.normalizeFullRangeFormat()
            try comparison.add(frame, original: original)
        }
    }

    private func measuring(_ body: () throws(FFmpegError) -> Void) throws(SessionError) {
        do { try body() } catch { throw SessionError(error, while: "measuring the quality", else: .badData) }
    }
}

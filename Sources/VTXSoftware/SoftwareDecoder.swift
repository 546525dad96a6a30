import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavcodec's own decoders, on as many threads as there are cores, where that is safe.
final class SoftwareDecoder: VideoDecoder {
    private let context: DecoderContext
    /// nil where nothing has to be kept out.
    private let gate: CurrPicRefGuard?

    init(_ configuration: DecoderConfiguration) throws(SessionError) {
        let parameters = configuration.stream.parameters
        let codec = parameters.codecName
        let mayHang = codec == VideoCodec.hevc.rawValue
        gate = mayHang ? CurrPicRefGuard(extradata: parameters.extradata) : nil
        let isSerial = configuration.isRealTime || mayHang && gate == nil
        do {
            context = try DecoderContext(
                configuration.stream, threads: isSerial ? 1 : 0, reorderDepth: configuration.reorderDepth)
        } catch {
            throw SessionError(error, while: "opening a decoder for \(codec)", else: .unsupportedFormat)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        if let gate, let packet, !gate.allows(packet) {
            throw SessionError(.badData, "decoding: a picture parameter set of screen content, or a broken one")
        }
        do { try context.send(packet) } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }

    func reset() { context.reset() }

    func expectReordering(of depth: Int) { context.expectReordering(of: depth) }

    func missingPictures() -> MissingPictures { context.missingPictures() }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        do {
            let output = try context.receive()
            // From here on the range is said in one place, not also in the format.
            if case .unit(let frame) = output { frame.normalizeFullRangeFormat() }
            return output
        } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavcodec's own decoders, on as many threads as there are cores.
final class SoftwareDecoder: VideoDecoder {
    private let context: DecoderContext

    init(_ configuration: DecoderConfiguration) throws(SessionError) {
        do {
            context = try DecoderContext(configuration.stream, threads: configuration.isRealTime ? 1 : 0)
        } catch {
            let codec = configuration.stream.parameters.codecName
            throw SessionError(error, while: "opening a decoder for \(codec)", else: .unsupportedFormat)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        do { try context.send(packet) } catch {
            throw SessionError(error, while: "decoding", else: .badData)
        }
    }

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

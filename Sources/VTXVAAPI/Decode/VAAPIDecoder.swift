import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavcodec's decoders with their VA-API acceleration; frames come on surfaces.
final class VAAPIDecoder: VideoDecoder {
    private let context: DecoderContext

    init(_ configuration: DecoderConfiguration, on device: HardwareDevice) throws(SessionError) {
        do {
            // Plain Baseline, as cameras write it, or High 10 with 8 bits: the tools decide, not the name.
            context = try DecoderContext(
                configuration.stream, on: device, reorderDepth: configuration.reorderDepth,
                allowsOtherProfile: configuration.isH264 && configuration.traits.softwareTool == nil)
        } catch {
            let codec = configuration.stream.parameters.codecName
            throw SessionError(error, while: "opening the GPU's decoder for \(codec)", else: .unsupportedFormat)
        }
    }

    func send(_ packet: Packet?) throws(SessionError) {
        do { try context.send(packet) } catch { throw explain(error) }
    }

    func reset() { context.reset() }

    func expectReordering(of depth: Int) { context.expectReordering(of: depth) }

    func missingPictures() -> MissingPictures { context.missingPictures() }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        let output: CodecOutput<Frame>
        do { output = try context.receive() } catch { throw explain(error) }
        guard case .unit(let frame) = output else { return output }
        // What a driver refuses, libavcodec decodes itself without a word.
        guard frame.isOnSurface else {
            throw SessionError(
                .unsupportedFormat, "the GPU does not decode these pictures: \(frame.size), \(frame.pixelFormat)")
        }
        frame.normalizeFullRangeFormat()
        return output
    }

    /// Bad data is the stream's fault, everything else the GPU's.
    private func explain(_ error: FFmpegError) -> SessionError {
        if error.kind == .outOfResources {
            return SessionError(
                .allocationFailed, "decoding on the GPU: it has no surface left for the next picture: \(error)")
        }
        return SessionError(error, while: "decoding on the GPU", else: .hardwareMalfunction)
    }
}

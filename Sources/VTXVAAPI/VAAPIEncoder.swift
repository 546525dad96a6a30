import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavcodec's `h264_vaapi` or `hevc_vaapi`, opened in the first way that the driver really takes.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIEncoder: VideoEncoder, @unchecked Sendable {
    private let context: EncoderContext
    private let upload: SurfaceUpload
    private let headers: ParameterSetRewriter
    /// `hevc_vaapi` writes what frames carry; what only the container said, they do not.
    private let hdrMetadata: HDRMetadata
    private(set) var parameters: CodecParameters
    /// They come from the first key frame, not from what the driver promised before it.
    private var hasParameterSets = false
    let mode: EncodingMode?
    let compromises: [String]

    init(_ configuration: EncoderConfiguration, _ session: VAAPISession) throws(SessionError) {
        let attempt = try EncoderOpener.first(configuration, session)
        context = attempt.context
        mode = attempt.way.mode
        compromises = attempt.compromises
        parameters = attempt.context.parameters
        upload = SurfaceUpload(to: session.device, formats: [attempt.pixelFormat])
        headers = ParameterSetRewriter(configuration)
        hdrMetadata = configuration.hdrMetadata
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let surface: Frame?
        if let frame { surface = try upload.surface(for: frame) } else { surface = nil }
        surface?.setPictureType(isForcedKey: forcesKeyFrame)
        // libavcodec's encoder writes what lies on the frame, and a source's frames may hold what nobody planned.
        surface?.hdrMetadata = hdrMetadata
        do { try context.send(surface) } catch { throw explain(error) }
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        let output: CodecOutput<Packet>
        do { output = try context.receive() } catch { throw explain(error) }
        guard case .unit(let packet) = output, packet.isKeyFrame else { return output }
        let completed = try headers.complete(Array(packet.bytes))
        do {
            if !hasParameterSets, !completed.parameterSets.isEmpty {
                parameters = try CodecParameters(parameters, extradata: completed.parameterSets)
                hasParameterSets = true
            }
            guard let bytes = completed.bytes else { return .unit(packet) }
            return .unit(try packet.replacing(bytes: bytes))
        } catch {
            throw explain(error)
        }
    }

    private func explain(_ error: FFmpegError) -> SessionError {
        SessionError(error, while: "encoding on the GPU", else: .hardwareMalfunction)
    }
}

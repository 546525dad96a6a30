import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// libavcodec's `h264_vaapi` or `hevc_vaapi`, opened in the first way that the driver really takes.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIEncoder: VideoEncoder, @unchecked Sendable {
    private let context: EncoderContext
    private let upload: SurfaceUpload
    private let headers: StreamHeaders
    /// `hevc_vaapi` writes what frames carry; what only the container said, they do not.
    private let hdrMetadata: HDRMetadata
    private(set) var parameters: CodecParameters
    /// They come from the first key frame, not from what the driver promised before it.
    private var hasParameterSets = false
    let compromises: [String]

    init(_ configuration: EncoderConfiguration, _ session: VAAPISession) throws(SessionError) {
        let attempt = try EncoderAttempt.first(configuration, session)
        context = attempt.context
        compromises = attempt.compromises
        parameters = attempt.context.parameters
        upload = SurfaceUpload(to: session.device, formats: [attempt.pixelFormat])
        headers = StreamHeaders(configuration)
        hdrMetadata = configuration.hdrMetadata
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let surface: Frame?
        if let frame { surface = try upload.surface(for: frame) } else { surface = nil }
        surface?.setPictureType(isForcedKey: forcesKeyFrame)
        if !hdrMetadata.isEmpty { surface?.hdrMetadata = hdrMetadata }
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

/// An encoder that has opened.
struct EncoderAttempt {
    var context: EncoderContext
    var pixelFormat: PixelFormat
    var compromises: [String]

    /// Walks through entrypoints and rate controls until one opens. What was refused on the way is said.
    static func first(
        _ configuration: EncoderConfiguration, _ session: VAAPISession
    ) throws(SessionError) -> EncoderAttempt {
        let name = session.opened.matrix.deviceName
        let rows = configuration.profile.vaProfile.map(session.opened.answers.encodingRows) ?? []
        guard !rows.isEmpty else {
            throw SessionError(
                .noSuchEncoder, "\(name) does not encode \(configuration.codec) \(configuration.profile.name)")
        }
        let (pool, format) = try surfaces(for: configuration, rows[0], session)
        var refusals: [String] = []
        for row in rows {
            for rate in RateControlChoice.candidates(for: configuration, listed: row.rateControlModes) {
                let settings = VideoEncoderSettings(configuration, row, rate, surfaces: pool)
                do {
                    let context = try EncoderContext(video: settings)
                    let said = [rate.compromise, refusals.isEmpty ? nil : refusals.joined(separator: "; ")]
                    return EncoderAttempt(context: context, pixelFormat: format, compromises: said.compactMap(\.self))
                } catch {
                    refusals.append("\(row.entrypoint) \(rate.mode.rawValue) was refused: \(error)")
                }
            }
        }
        throw SessionError(.noSuchEncoder, "\(name): " + refusals.joined(separator: "; "))
    }

    private static func surfaces(
        for configuration: EncoderConfiguration, _ row: DriverAnswers.Row, _ session: VAAPISession
    ) throws(SessionError) -> (SurfacePool, PixelFormat) {
        let wanted = configuration.pixelFormat
        guard
            let format = SurfaceFormat.all(in: row).map(\.pixelFormat)
                .first(where: { $0.hasSamples(like: wanted) })
        else { throw SessionError(.unsupportedFormat, "the GPU's encoder takes no \(wanted)") }
        do { return (try SurfacePool(session.device, size: configuration.size, pixelFormat: format), format) } catch {
            throw SessionError(error, while: "making surfaces of \(configuration.size)", else: .allocationFailed)
        }
    }
}

import VTXBitstream
import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// libavcodec's `h264_vaapi` or `hevc_vaapi`, opened in the first way that the driver really takes.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class VAAPIEncoder: VideoEncoder, @unchecked Sendable {
    private let context: EncoderContext
    private let configuration: EncoderConfiguration
    private let upload: SurfaceUpload
    private let headers: ParameterSetRewriter
    private var frameCheck: CodedFrameCheck
    private let reportsStatus: Bool
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
        frameCheck = CodedFrameCheck(configuration.codec)
        reportsStatus = attempt.way.quirks.reportsCodedStatus
        self.configuration = configuration
    }

    func send(_ frame: Frame?, forcesKeyFrame: Bool) throws(SessionError) {
        let surface: Frame?
        if let frame { surface = try upload.surface(for: frame) } else { surface = nil }
        surface?.setPictureType(isForcedKey: forcesKeyFrame)
        // libavcodec's encoder writes what frames carry: they get what is planned, and nothing else.
        surface?.hdrMetadata = configuration.hdrMetadata
        do { try context.send(surface) } catch { throw explain(error) }
        try checkStatus()
    }

    func receive() throws(SessionError) -> CodecOutput<Packet> {
        let output: CodecOutput<Packet>
        do { output = try context.receive() } catch { throw explain(error) }
        try checkStatus()
        guard case .unit(let packet) = output else { return output }
        return .unit(try completed(packet))
    }

    private func completed(_ packet: Packet) throws(SessionError) -> Packet {
        try frameCheck.check(packet)
        guard packet.isKeyFrame else { return packet }
        let completed = try headers.complete(Array(packet.bytes))
        do {
            if !hasParameterSets, !completed.parameterSets.isEmpty {
                parameters = try CodecParameters(parameters, extradata: completed.parameterSets)
                hasParameterSets = true
            }
            return try completed.bytes.map { bytes throws(FFmpegError) in try packet.replacing(bytes: bytes) } ?? packet
        } catch {
            throw explain(error)
        }
    }

    private func checkStatus() throws(SessionError) {
        let malfunctions = CodedBufferStatus(rawValue: context.takeCodedStatus()).malfunctions
        guard !reportsStatus || malfunctions.isEmpty else {
            throw SessionError(.hardwareMalfunction, "the GPU's driver reports a frame as unusable: \(malfunctions)")
        }
    }

    private func explain(_ error: FFmpegError) -> SessionError {
        SessionError(error, while: "encoding on the GPU", else: .hardwareMalfunction)
    }
}

/// Checks what a driver coded, frame by frame. What the slices hold only a decoder can tell.
struct CodedFrameCheck {
    private let codec: VideoCodec
    private var last: Packet?

    init(_ codec: VideoCodec) { self.codec = codec }

    /// - Throws: where a driver reports success and returns no frame, another kind of frame than the one that was asked
    ///   for, or the frame before once more.
    mutating func check(_ packet: Packet) throws(SessionError) {
        var first: NALUnit?
        AnnexB.forEachUnit(in: packet.bytes.bytes, codec: codec) { if first == nil, $0.isVCL { first = $0 } }
        guard let first else { throw malfunction("returned a coded frame without a slice") }
        guard first.isIDR == packet.isKeyFrame else {
            throw malfunction("coded \(first) in place of \(packet.isKeyFrame ? "an" : "no") IDR")
        }
        // Slice headers count frames, but for those of key frames.
        if !packet.isKeyFrame, last?.hasBytes(of: packet) == true { throw malfunction("returned the same frame twice") }
        last = try? packet.reference()
    }

    private func malfunction(_ what: String) -> SessionError {
        SessionError(.hardwareMalfunction, "the GPU's driver \(what)")
    }
}

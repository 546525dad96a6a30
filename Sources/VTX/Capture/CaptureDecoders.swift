import VTXCapture
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Opens a live input's decoder as a decompression session does: on a GPU if possible. If that fails, decoding resumes
/// at the same frame, on the GPU once more or in software. Frames are copied to memory, from which any device can
/// encode them.
struct CaptureDecoders: CaptureDecoderOpener {
    private let policy: HardwarePolicy
    private let backends: SharedBackends
    private let report: @Sendable (WorkerEvent) -> Void

    /// - Parameter policy: The encoder's policy. A GPU that is required for encoding is not required for decoding.
    init(
        _ policy: HardwarePolicy, _ backends: SharedBackends, _ report: @escaping @Sendable (WorkerEvent) -> Void
    ) {
        self.policy = policy == .off ? .off : .auto
        self.backends = backends
        self.report = report
    }

    func open(_ stream: InputStream) throws(SessionError) -> (decoder: any VideoDecoder, deviceName: String) {
        let devices = try DeviceCandidates(backends, device: nil)
        let configuration = DecoderConfiguration(stream: stream)
        // After two failures of a GPU, software decodes: each attempt decodes a second or more again.
        let gpu = devices.candidates(policy).hardware.first { $0.decodes(configuration) }?.matrix.device
        let opened = Locked("")
        let decoder = try RecoveringDecoder(
            { [policy] hasFailed in
                if hasFailed { devices.renew() }
                let allowed = devices.candidates(policy).filter { !$0.matrix.isHardware || $0.matrix.device == gpu }
                return devices.ordered(allowed).map { candidate in
                    CodecCandidate(candidate.matrix) { _ throws(SessionError) in
                        let decoder = try DeliveringDecoder(
                            configuration, on: try candidate.open(), keepsSurfaces: false)
                        opened.withLock { $0 = candidate.matrix.deviceName }
                        return decoder
                    }
                }
            }, else: SessionError(.noSuchDecoder, "no device here decodes \(stream.codecName)"),
            onReplacement: { [report] replacements in
                devices.noteFailures(replacements)
                replacements.forEach { report(.transcode(.notice(Notice(replacingDecoder: $0)))) }
            }, onProved: devices.noteSuccess)
        return (decoder, opened.withLock(\.self))
    }
}

extension DeviceCandidate {
    /// Whether the device decodes the format in the stream's header. A stream without one is decoded in software.
    fileprivate func decodes(_ configuration: DecoderConfiguration) -> Bool {
        guard matrix.isHardware else { return true }
        guard let format = configuration.stream.pixelFormat else { return false }
        return matrix.decoding.obstacle(
            to: configuration.stream.codecName, format, configuration.stream.size,
            softwareTool: configuration.traits.softwareTool) == nil
    }
}

extension Notice {
    fileprivate init(replacingDecoder lost: CodecReplacement) {
        self.init(
            .captureDecoder,
            "\(lost.lostName) failed while decoding (\(lost.reason.message)); \(lost.name) takes over")
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// A decoder that has decoded the first frames of a source.
struct OpenedDecoder {
    let session: any DeviceSession
    let decoder: any VideoDecoder
    /// The GPU that was selected to decode.
    var gpu: DeviceID?
    /// Why it is not that GPU.
    var notices: [Notice] = []
}

/// Opens the decoder and decodes the first frames, because headers may be wrong.
struct DecoderOpener {
    /// The number of frames that is enough to detect interlacing and side data.
    private static let sampleFrames = 3
    /// The limits for finding the first frames: video packets, and bytes of the file, because audio may begin much
    /// earlier.
    private static let maxVideoPackets = 500
    private static let maxBytes = 64 << 20

    let source: Source
    let failures: HardwareFailures
    let policy: HardwarePolicy
    /// Whether software may take over in mid-file.
    let allowsFallback: Bool
    let recoveries: RecoveryLog

    private var video: InputStream { source.video }

    /// - Parameter gpu: The GPU to use if possible; nil for software.
    /// - Throws: if software must not take over, or cannot decode the source either.
    func open(on gpu: DeviceCandidate?, _ devices: TranscodeDevices) throws(TranscodeError) -> OpenedDecoder {
        guard let gpu else { return try open(on: devices.software()) }
        do throws(SessionError) { return try open(on: gpu, devices) } catch {
            try checkEncryption()
            let notice = try policy.fallBack(.decode, gpu.matrix, error.message, after: failures)
            var opened = try open(on: devices.software())
            (opened.gpu, opened.notices) = (gpu.matrix.device, [notice])
            return opened
        }
    }

    /// Opens a decoder for a segment after the first one, whose format is known.
    func openInMidFile(on gpu: DeviceCandidate?, _ devices: TranscodeDevices) throws(TranscodeError) -> OpenedDecoder {
        var notices: [Notice] = []
        if let gpu {
            do throws(SessionError) {
                let (session, decoder) = try open(.inMidFile(video), on: gpu, devices, recoversStart: true)
                return OpenedDecoder(session: session, decoder: decoder, gpu: gpu.matrix.device)
            } catch { notices = [try policy.fallBack(.decode, gpu.matrix, error.message, after: failures)] }
        }
        let software = try devices.software()
        do {
            let decoder = try software.makeDecoder(.inMidFile(video))
            return OpenedDecoder(session: software, decoder: decoder, gpu: gpu?.matrix.device, notices: notices)
        } catch { throw TranscodeError(ErrorKind(error.code), Message(error.message)) }
    }

    private func open(
        _ configuration: DecoderConfiguration, on gpu: DeviceCandidate, _ devices: TranscodeDevices, recoversStart: Bool
    ) throws(SessionError) -> (any DeviceSession, RecoveringDecoder) {
        let listed = gpu.matrix.decoding.obstacle(
            to: video.codecName, source.sample.shape.pixelFormat, video.size,
            softwareTool: configuration.traits.softwareTool)
        if let known = listed ?? failures.reason(against: gpu.matrix.device, at: .decode) {
            throw SessionError(.unsupportedFormat, known)
        }
        let session = try devices.session(on: gpu)
        let own = CodecCandidate(session.capabilities) { _ throws(SessionError) in
            try session.makeDecoder(configuration)
        }
        let software = allowsFallback ? devices.softwareCandidates : []
        // Frames may come from memory where they came from surfaces: filters and encoders take both.
        let others = software.map { candidate in
            CodecCandidate(candidate.matrix) { _ throws(SessionError) in
                try candidate.open().makeDecoder(configuration)
            }
        }
        let decoder = RecoveringDecoder(
            try own.open(CodecNeeds()), on: own, recoversStart: recoversStart, candidates: { _ in [own] + others },
            onReplacement: { [recoveries] in recoveries.note($0, at: .decode) })
        return (session, decoder)
    }

    private func open(on gpu: DeviceCandidate, _ devices: TranscodeDevices) throws(SessionError) -> OpenedDecoder {
        let (session, recovering) = try open(
            DecoderConfiguration(stream: video), on: gpu, devices, recoversStart: false)
        let decoder = PrerolledDecoder(recovering)
        preroll(decoder)
        if let failure = decoder.failure { throw failure }
        guard let frames = ProbedFrames(decoder.frames) else {
            throw SessionError(.badData, "its decoder returns no frame")
        }
        source.note(frames)
        return OpenedDecoder(session: session, decoder: decoder, gpu: gpu.matrix.device)
    }

    private func open(on software: any DeviceSession) throws(TranscodeError) -> OpenedDecoder {
        let decoder: PrerolledDecoder
        do { decoder = PrerolledDecoder(try software.makeDecoder(DecoderConfiguration(stream: video))) } catch {
            throw TranscodeError(.inputCodec, "the \(video.codecName) video in \(source.name): \(error.message)")
                .at(stream: video.index).caused(by: error.message)
        }
        preroll(decoder)
        try checkEncryption()
        guard let frames = ProbedFrames(decoder.frames) else { throw noFrames }
        source.note(frames)
        return OpenedDecoder(session: software, decoder: decoder)
    }

    private func preroll(_ decoder: PrerolledDecoder) {
        var (position, videoPackets, bytes) = (0, 0, 0)
        while decoder.frames.count < Self.sampleFrames, decoder.failure == nil, videoPackets < Self.maxVideoPackets,
            bytes < Self.maxBytes
        {
            guard let packet = source.peek(at: position) else { return decoder.preroll(nil) }
            position += 1
            bytes += packet.byteCount
            guard packet.streamIndex == video.index else { continue }
            if packet.isEncrypted { return }
            videoPackets += 1
            decoder.preroll(packet)
        }
        // The first frame may wait for others that come before it.
        if decoder.frames.isEmpty { decoder.preroll(nil) }
    }

    private func checkEncryption() throws(TranscodeError) {
        guard source.encryptedStreams.contains(video.index) else { return }
        throw TranscodeError(
            .inputEncrypted, "the video in \(source.name) is encrypted", hint: "vtx has no keys; decrypt it first")
    }

    private var noFrames: TranscodeError {
        TranscodeError(
            .inputNoFrames,
            source.hasPeeked(video.index)
                ? "no frame of the \(video.codecName) video in \(source.name) can be decoded"
                : "the video stream of \(source.name) has no frames")
    }
}

extension HardwarePolicy {
    /// - Returns: the notice for the user.
    /// - Throws: if software must not take over.
    func fallBack(
        _ stage: VideoStage, _ matrix: CapabilityMatrix, _ obstacle: String, after failures: HardwareFailures
    ) throws(TranscodeError) -> Notice {
        guard self != .require else {
            throw TranscodeError(
                .hardwareRequired,
                "\(matrix.deviceName) cannot do the \(stage.rawValue) stage: \(obstacle)",
                hint: "\(option: .hardware, "auto") falls back to software")
        }
        if let loss = failures.loss(of: matrix.device, at: stage) { return loss.noticeOfSoftware(at: stage) }
        return Notice(
            NoticeKind(fallbackOf: stage),
            "software does the \(stage.rawValue) stage instead of \(matrix.deviceName): \(obstacle)")
    }
}

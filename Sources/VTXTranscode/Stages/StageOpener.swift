import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Opens filter and encoder, each on the GPU if the GPU supports it, independently of the other. Whether a codec opens
/// is known only when it is open, so the opened stages are those that run.
struct StageOpener {
    let encoding: VideoEncoding
    var device: DeviceChoice
    var decoding: OpenedDecoder
    /// The format of the first frames.
    let shape: FrameFormat
    let failures: HardwareFailures
    let policy: HardwarePolicy
    /// Whether software may take over in mid-file.
    let allowsFallback: Bool
    let queueDepth: Int
    /// The duration of the output, in seconds; nil if unknown.
    let seconds: Double?
    let recoveries: RecoveryLog
    /// Whether to recover from a failure at the start instead of planning again.
    var recoversStart = false
    /// The request if this is its second pass: the first one has opened the same encoder, so what it does not take now
    /// is the rate.
    var secondPass: TranscodeRequest?

    /// Returns an opener for the stages of a rendition made from the frames that another rendition's encoder gets.
    func lower(_ encoding: VideoEncoding, of upper: PreparedEncoding) -> StageOpener {
        var shape = shape
        let encoder = upper.plan.encoder
        (shape.size, shape.pixelFormat, shape.color) = (encoder.size, encoder.pixelFormat, encoder.color)
        (shape.sampleAspectRatio, shape.isInterlaced) = (Rational(1, 1), false)
        let frames = OpenedDecoder(session: upper.stages.sessions.encoding, decoder: decoding.decoder)
        return StageOpener(
            encoding: encoding, device: device, decoding: frames, shape: shape, failures: failures, policy: policy,
            allowsFallback: allowsFallback, queueDepth: queueDepth, seconds: seconds, recoveries: recoveries)
    }

    /// - Returns: the stages, or that the selected device cannot encode.
    func open(
        _ devices: TranscodeDevices, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<OpenedStages, DeviceOpenFailure> {
        let (session, encoder): (any DeviceSession, any VideoEncoder)
        do throws(SessionError) {
            session = try devices.session(on: device.encoder)
            encoder = try session.makeEncoder(encoding.encoder, after: failedModes)
        } catch {
            if let refusal = device.refusal(Message(error.message)) { return .failure(refusal) }
            throw refusal(error)
        }
        for compromise in encoder.compromises { notes.note(.fallbackRateControl, Message(compromise)) }
        notes.notices += decoding.notices
        let (filtering, filter) = try openFilter(devices, to: session, &notes)
        let sessions = StageSessions(
            decoding: decoding.session, filtering: filtering, encoding: session, queueDepth: queueDepth)
        return .success(
            OpenedStages(
                sessions: sessions, decoder: decoding.decoder, filter: filter,
                encoder: recovering(encoder, on: session), recoveries: recoveries))
    }

    /// Everything else has been checked, so an encoder that does not open is due to the user's options.
    private func refusal(_ error: SessionError) -> TranscodeError {
        guard [.badParameter, .badData].contains(error.code), !encoding.encoder.options.isEmpty else {
            let refusal = TranscodeError(ErrorKind(error.code), Message(error.message))
            return secondPass.map { .tooLow($0, because: refusal) } ?? refusal
        }
        return TranscodeError(
            .encoderOptions, Message(error.message),
            hint: "check the values of \(option: .encoderOptions, encoding.encoder.options.text)")
    }

    private var failedModes: [EncodingMode: String] { failures.failedModes(of: device.matrix.device) }

    /// Adds recovery, unless the encoder is software, which has no fallback.
    private func recovering(_ encoder: any VideoEncoder, on session: any DeviceSession) -> any VideoEncoder {
        guard session.capabilities.isHardware else {
            return renewing(encoder) { [encoding] quality throws(SessionError) in
                try session.makeEncoder(encoding.encoder.at(quality))
            }
        }
        let replacements = EncoderFallbacks(
            configuration: encoding.encoder, failedModes: failedModes, session: session, others: device.others)
        let first = RecoveringEncoder(
            encoder, on: replacements.own, recoversStart: recoversStart,
            rate: encoding.encoder.rateAccount(seconds: seconds),
            candidates: { _ in replacements.all },
            onReplacement: { [recoveries] in recoveries.note($0, at: .encode) })
        return renewing(first) { [recoveries] quality throws(SessionError) in
            try replacements.at(quality).encoder(recoveries)
        }
    }

    private func renewing(
        _ encoder: any VideoEncoder, _ open: @escaping SegmentEncoder.Open
    ) -> any VideoEncoder { encoding.isCut ? SegmentEncoder(encoder, open: open) : encoder }

    /// - Returns: the filter, including the transfer of frames to it and from it to the encoder.
    private func openFilter(
        _ devices: TranscodeDevices, to target: any DeviceSession, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> (any DeviceSession, any VideoFilter) {
        let usesHardware = [decoding.session, target].contains { $0.capabilities.isHardware }
        // A frame that no GPU has seen, and that nothing is done with, stays where it is.
        if let gpu = device.gpu, usesHardware || !encoding.filter.isIdentity(for: shape) {
            do throws(SessionError) { return try openFilter(on: gpu, devices, to: target) } catch {
                notes.notices.append(try policy.fallBack(.filter, gpu.matrix, error.message, after: failures))
            }
        }
        let software = try devices.software()
        let open: @Sendable () throws(SessionError) -> any VideoFilter = { [self] () throws(SessionError) in
            try software.makeFilter(encoding.filter, from: decoding.session, to: target)
        }
        do { return (software, encoding.isCut ? SegmentFilter(try open(), open: open) : try open()) } catch {
            throw TranscodeError(ErrorKind(error.code), Message(error.message))
        }
    }

    private func openFilter(
        on gpu: DeviceCandidate, _ devices: TranscodeDevices, to target: any DeviceSession
    ) throws(SessionError) -> (any DeviceSession, any VideoFilter) {
        let listed = gpu.matrix.filtering.obstacle(to: encoding.filter, from: shape)
        if let known = listed ?? failures.reason(against: gpu.matrix.device, at: .filter) {
            throw SessionError(.unsupportedFormat, known)
        }
        let session = try devices.session(on: gpu)
        let software = allowsFallback ? devices.softwareCandidates : []
        let filter = try recovering(on: session, software, to: target, recoversStart: recoversStart)
        guard encoding.isCut else { return (session, filter) }
        let renewed = SegmentFilter(filter) { [self] () throws(SessionError) in
            try recovering(on: session, software, to: target, recoversStart: true)
        }
        return (session, renewed)
    }

    /// Adds recovery. The frame rate filter stays outside: frames that the GPU fails at are identified by their order.
    private func recovering(
        on session: any DeviceSession, _ software: [DeviceCandidate], to target: any DeviceSession, recoversStart: Bool
    ) throws(SessionError) -> any VideoFilter {
        var pictures = encoding.filter
        pictures.frameRate = nil
        let replacements = FilterFallbacks(
            configuration: pictures, session: session, source: decoding.session, target: target, others: software)
        let filter = RecoveringFilter(
            try replacements.own.open(CodecNeeds()), on: replacements.own,
            keepsReferences: pictures.deinterlacing != .never, outputCount: pictures.deinterlacing.pictureCount,
            recoversStart: recoversStart,
            candidates: { _ in replacements.all },
            onReplacement: { [recoveries] in recoveries.note($0, at: .filter) })
        return encoding.filter.frameRate == nil ? filter : FilterSequence([filter, FrameRateFilter(encoding.filter)])
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask

/// Decoding, filtering and encoding go down to software one by one: each stage keeps to the GPU where the GPU can do
/// it, whatever the others do.
struct DeviceAssignment {
    private let backends: [any VideoBackend]
    private let device: DeviceChoice
    private let faults: HardwareFailures
    private let policy: HardwarePolicy
    private let queueDepth: Int

    /// - Parameter faults: what was tried for this job already, and failed.
    init(
        _ backends: [any VideoBackend], _ device: DeviceChoice, after faults: HardwareFailures,
        _ policy: HardwarePolicy, queueDepth: Int
    ) {
        self.backends = backends
        self.device = device
        self.faults = faults
        self.policy = policy
        self.queueDepth = queueDepth
    }

    /// - Returns: the sessions, or that the chosen device cannot even encode.
    func assign(
        _ video: VideoPlan, _ stream: InputStream, _ source: FrameFormat, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<StageSessions, DeviceOpenFailure> {
        let encoding: any DeviceSession
        do { encoding = try device.encoder.open() } catch {
            if let refusal = device.refusal(Message(error.message)) { return .failure(refusal) }
            throw TranscodeError(.hardwareOpen, "\(device.matrix.deviceName): \(error.message)")
        }
        if device.matrix.isHardware {
            let obstacle = encodingObstacle(encoding, video, &notes)
            if let refusal = obstacle.flatMap({ device.refusal(Message($0)) }) { return .failure(refusal) }
        }
        return .success(try assign(video, stream, source, encoding, &notes))
    }

    /// Gives decoding and filtering to the GPU, as far as it can.
    private func assign(
        _ video: VideoPlan, _ stream: InputStream, _ source: FrameFormat, _ encoding: any DeviceSession,
        _ notes: inout PlanNotes
    ) throws(TranscodeError) -> StageSessions {
        var sessions = StageSessions(
            decoding: encoding, filtering: encoding, encoding: encoding, queueDepth: queueDepth)
        guard let gpu = device.gpu else { return sessions }
        let session: any DeviceSession
        do { session = device.matrix.isHardware ? encoding : try gpu.open() } catch {
            try fallBack(.decode, gpu.matrix, error.message, &notes)
            return sessions
        }
        if let obstacle = decodingObstacle(session, stream, source) {
            try fallBack(.decode, gpu.matrix, obstacle, &notes)
            sessions.decoding = try software(besides: encoding)
        } else {
            sessions.decoding = session
        }
        // A frame that no GPU has seen, and that nothing is done with, stays where it is.
        if !sessions.usesHardware, video.filter.isIdentity(for: source) { return sessions }
        if let obstacle = filteringObstacle(session, video, source) {
            try fallBack(.filter, gpu.matrix, obstacle, &notes)
            sessions.filtering = try software(besides: encoding)
        } else {
            sessions.filtering = session
        }
        return sessions
    }

    // Only who has opened a codec knows that it opens.

    private func decodingObstacle(_ session: any DeviceSession, _ stream: InputStream, _ source: FrameFormat) -> String?
    {
        let (matrix, configuration) = (session.capabilities, DecoderConfiguration(stream: stream))
        let listed = matrix.decoding.obstacle(
            to: stream.codecName, source.pixelFormat, stream.size, softwareTool: configuration.traits.softwareTool)
        if let known = listed ?? faults.reason(against: matrix.device, at: .decode) { return known }
        do { _ = try session.makeDecoder(configuration) } catch { return error.message }
        return nil
    }

    private func filteringObstacle(_ session: any DeviceSession, _ video: VideoPlan, _ source: FrameFormat) -> String? {
        let matrix = session.capabilities
        let listed = matrix.filtering.obstacle(to: video.filter, from: source)
        if let known = listed ?? faults.reason(against: matrix.device, at: .filter) { return known }
        do { _ = try session.makeFilter(video.filter) } catch { return error.message }
        return nil
    }

    private func encodingObstacle(
        _ session: any DeviceSession, _ video: VideoPlan, _ notes: inout PlanNotes
    ) -> String? {
        do {
            for compromise in try session.makeEncoder(video.encoder).compromises {
                notes.note(.fallbackRateControl, Message(compromise))
            }
        } catch { return error.message }
        return nil
    }

    /// - Throws: where software must not take over.
    private func fallBack(
        _ stage: VideoStage, _ matrix: CapabilityMatrix, _ obstacle: String, _ notes: inout PlanNotes
    ) throws(TranscodeError) {
        guard policy != .require else {
            throw TranscodeError(
                .hardwareRequired,
                "\(matrix.deviceName) cannot do the \(stage.rawValue) stage: \(obstacle)",
                hint: "\(option: .hardware, "auto") lets software do what the GPU cannot")
        }
        notes.notices.append(
            Notice(
                NoticeKind(fallbackOf: stage),
                "software does the \(stage.rawValue) stage instead of \(matrix.deviceName): \(obstacle)"))
    }

    private func software(besides encoding: any DeviceSession) throws(TranscodeError) -> any DeviceSession {
        if !encoding.capabilities.isHardware { return encoding }
        for backend in backends where !backend.isHardware {
            guard let matrix = backend.probe().first,
                let session = try? backend.openSession(on: matrix.device)
            else { continue }
            return session
        }
        throw TranscodeError(.software, "there is no software backend")
    }
}

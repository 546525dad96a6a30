import VTXFFmpeg
import VTXMedia
package import VTXSession

/// The devices that the three stages run on; each may be another one.
package struct StageSessions: Sendable {
    package var decoding: any VideoSession
    package var filtering: any VideoSession
    package var encoding: any VideoSession

    /// The filter with what it takes to bring frames to it, and from it to the encoder.
    package func makeFilter(_ configuration: FilterConfiguration) throws(SessionError) -> any VideoFilter {
        var chain: [any VideoFilter] = []
        if decoding.capabilities.device != filtering.capabilities.device { chain.append(try decoding.makeDownload()) }
        chain.append(try filtering.makeFilter(configuration))
        if filtering.capabilities.device != encoding.capabilities.device { chain.append(try filtering.makeDownload()) }
        return chain.count == 1 ? chain[0] : FilterSequence(chain)
    }
}

/// Decoding, filtering and encoding go down to software one by one: each stage keeps to the GPU where the GPU can do
/// it, whatever the others do.
struct StageLadder {
    /// Frames between two stages, see `TranscodePipeline`.
    static let budget = SurfaceBudget(queueDepth: TranscodePipeline.frameDepth)

    private let backends: [any VideoBackend]
    private let device: DeviceChoice

    init(_ backends: [any VideoBackend], _ device: DeviceChoice) {
        self.backends = backends
        self.device = device
    }

    /// - Returns: the sessions, or that the chosen device cannot even encode.
    func climb(
        _ video: VideoPlan, _ source: FrameShape, _ notes: inout PlanNotes
    ) throws(TranscodeError) -> Result<StageSessions, DeviceRefusal> {
        let session: any VideoSession
        do {
            session = try device.backend.openSession(on: device.matrix.device, budget: Self.budget)
        } catch {
            if let refusal = device.refusal(error.message) { return .failure(refusal) }
            throw TranscodeError(.hardware, "hardware.open", "\(device.matrix.deviceName): \(error.message)")
        }
        var sessions = StageSessions(decoding: session, filtering: session, encoding: session)
        guard device.matrix.isHardware else { return .success(sessions) }
        if let obstacle = decodingObstacle(session, video, source) {
            notes.fallback("decode", device.matrix, obstacle)
            sessions.decoding = try openSoftware()
        }
        if let refusal = encodingObstacle(session, video, &notes).flatMap(device.refusal) { return .failure(refusal) }
        if let obstacle = device.matrix.filtering.obstacle(to: video.filter, from: source) {
            notes.fallback("filter", device.matrix, obstacle)
            sessions.filtering = try openSoftware()
        }
        return .success(sessions)
    }

    /// Only who has opened a codec knows that it opens.
    private func decodingObstacle(_ session: any VideoSession, _ video: VideoPlan, _ source: FrameShape) -> String? {
        let listed = device.matrix.decoding.obstacle(
            to: video.source.parameters.codecName, source.pixelFormat, video.source.parameters.size)
        if let listed { return listed }
        do { _ = try session.makeDecoder(video.decoder) } catch { return error.message }
        return nil
    }

    private func encodingObstacle(
        _ session: any VideoSession, _ video: VideoPlan, _ notes: inout PlanNotes
    ) -> String? {
        do {
            for compromise in try session.makeEncoder(video.encoder).compromises {
                notes.notices.append(Notice(.fallback, "fallback.rateControl", compromise))
            }
        } catch { return error.message }
        return nil
    }

    private func openSoftware() throws(TranscodeError) -> any VideoSession {
        for backend in backends where !backend.isHardware {
            guard let matrix = backend.probe().first,
                let session = try? backend.openSession(on: matrix.device, budget: Self.budget)
            else { continue }
            return session
        }
        throw TranscodeError(.internalError, "software", "there is no software backend")
    }
}

extension DeviceChoice {
    /// nil for the CPU: below it is nothing to fall to.
    func refusal(_ reason: String) -> DeviceRefusal? {
        guard matrix.isHardware else { return nil }
        return DeviceRefusal(device: matrix.device, deviceName: matrix.deviceName, reason: reason)
    }
}

extension PlanNotes {
    fileprivate mutating func fallback(_ stage: String, _ matrix: CapabilityMatrix, _ obstacle: String) {
        notices.append(
            Notice(
                .fallback, "fallback.\(stage)",
                "software does the \(stage) stage instead of \(matrix.deviceName): \(obstacle)"))
    }
}

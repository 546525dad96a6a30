import VTXMedia
package import VTXSession
import VTXTask

/// The devices of the three stages, which may differ.
package struct StageSessions: Sendable {
    package var decoding: any DeviceSession
    package var filtering: any DeviceSession
    package var encoding: any DeviceSession
    /// The number of frames that wait between two stages if one is a GPU's.
    package let queueDepth: Int

    var usesHardware: Bool { VideoStage.allCases.contains { self[$0].capabilities.isHardware } }

    /// Whether filters run on the decoder's thread. A GPU is only sent commands, which the decoding thread can do
    /// immediately. Software filters run in parallel with the decoder, and frames for a software encoder have to be
    /// awaited and copied.
    var filtersOnArrival: Bool { VideoStage.allCases.allSatisfy { self[$0].capabilities.isHardware } }

    subscript(stage: VideoStage) -> any DeviceSession {
        switch stage {
        case .decode: decoding
        case .filter: filtering
        case .encode: encoding
        }
    }

    /// Returns the stages of a device.
    func stages(on device: DeviceID) -> [VideoStage] {
        VideoStage.allCases.filter { self[$0].capabilities.device == device }
    }

    /// Attributes a wrong output to the GPU nearest to it; nil if there is none.
    func failure(_ message: String) -> HardwareFailure? {
        let stages: [VideoStage] = [.encode, .filter, .decode]
        guard let stage = stages.first(where: { self[$0].capabilities.isHardware }) else { return nil }
        let matrix = self[stage].capabilities
        return HardwareFailure(
            stage: stage, device: matrix.device, deviceName: matrix.deviceName, message: message)
    }

    /// Runs a part of a stage's work, and attributes any failure other than corrupt data to the GPU.
    ///
    /// - Parameter mode: That of the stage's encoder.
    func attributingFailures<Result>(
        _ stage: VideoStage, in mode: EncodingMode? = nil, for work: () throws -> Result
    ) throws -> Result {
        do { return try work() } catch let error as SessionError {
            // Pictures are brought out of the decoder's memory by the one that wants them.
            let session = stage == .filter && !filtering.capabilities.isHardware ? decoding : self[stage]
            guard session.capabilities.isHardware, error.code != .badData else { throw error }
            throw HardwareFailure(
                stage: self[stage].capabilities.isHardware ? stage : .decode, device: session.capabilities.device,
                deviceName: session.capabilities.deviceName, message: error.message,
                // Only a malfunction can depend on the encoding mode; a lack of memory or of a format does not.
                mode: error.code == .hardwareMalfunction ? mode : nil,
                isOutOfMemory: error.code == .allocationFailed, stages: stages(on: session.capabilities.device))
        }
    }
}

/// The devices of a transcode, each opened once.
final class TranscodeDevices {
    private let backends: [any VideoBackend]
    private var sessions: [DeviceID: any DeviceSession] = [:]

    init(_ backends: [any VideoBackend]) { self.backends = backends }

    func session(on candidate: DeviceCandidate) throws(SessionError) -> any DeviceSession {
        if let session = sessions[candidate.matrix.device] { return session }
        let session = try candidate.open()
        sessions[candidate.matrix.device] = session
        return session
    }

    var softwareCandidates: [DeviceCandidate] { DeviceCandidate.all(from: backends, allowsHardware: false) }

    func software() throws(TranscodeError) -> any DeviceSession {
        for candidate in softwareCandidates {
            do { return try session(on: candidate) } catch {
                throw TranscodeError(.hardwareOpen, "\(candidate.matrix.deviceName): \(error.message)")
            }
        }
        throw TranscodeError(.software, "there is no software backend")
    }
}

import VTXMedia
package import VTXSession
import VTXTask

/// The devices that the three stages run on; each may be another one.
package struct StageSessions: Sendable {
    package var decoding: any DeviceSession
    package var filtering: any DeviceSession
    package var encoding: any DeviceSession
    /// Frames that wait between two stages of which one is a GPU's.
    package let queueDepth: Int

    var usesHardware: Bool { VideoStage.allCases.contains { self[$0].capabilities.isHardware } }

    /// A GPU only has to be told what to do: the thread that decodes can tell it at once. Software works itself, and so
    /// beside the decoder; and a picture that software is to encode has to be waited for and copied.
    var filtersOnArrival: Bool { VideoStage.allCases.allSatisfy { self[$0].capabilities.isHardware } }

    subscript(stage: VideoStage) -> any DeviceSession {
        switch stage {
        case .decode: decoding
        case .filter: filtering
        case .encode: encoding
        }
    }

    /// Those that a device does.
    func stages(on device: DeviceID) -> [VideoStage] {
        VideoStage.allCases.filter { self[$0].capabilities.device == device }
    }

    /// The GPU that is to blame where the output as a whole is wrong: the one nearest to it. nil where there is none.
    func failure(_ message: String) -> HardwareFailure? {
        let stages: [VideoStage] = [.encode, .filter, .decode]
        guard let stage = stages.first(where: { self[$0].capabilities.isHardware }) else { return nil }
        let matrix = self[stage].capabilities
        return HardwareFailure(
            stage: stage, device: matrix.device, deviceName: matrix.deviceName, message: message)
    }

    /// Does a part of a stage's work. What a GPU fails at, but for damaged data, is the GPU's fault.
    ///
    /// - Parameter mode: of the stage's encoder.
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
                // What lacks memory or a format in one mode lacks it in every other.
                mode: error.code == .hardwareMalfunction ? mode : nil,
                isOutOfMemory: error.code == .allocationFailed, stages: stages(on: session.capabilities.device))
        }
    }
}

import VTXMedia
import VTXSession
import VTXTask

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

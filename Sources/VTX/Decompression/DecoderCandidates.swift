import VTXMedia
import VTXSession

/// The devices that can decode a stream, the best first.
struct DecoderCandidates: Sendable {
    let devices: DeviceCandidates
    private let configuration: VideoDecoderConfiguration

    /// - Throws: `.badParameter` for a name that no device can have, `.noSuchDecoder` where hardware is required and
    ///   none decodes the codec.
    init(_ configuration: VideoDecoderConfiguration, _ backends: SharedBackends) throws(SessionError) {
        self.configuration = configuration
        devices = try DeviceCandidates(backends, device: configuration.device)
        guard configuration.hardware == .require, !allowed.contains(where: decodes) else { return }
        let device = configuration.device.map { " named '\($0)'" } ?? ""
        throw SessionError(
            .noSuchDecoder, "no hardware here\(device) decodes \(configuration.codec), and software is not allowed")
    }

    private var allowed: [DeviceCandidate] { devices.candidates(configuration.hardware) }

    private func decodes(_ candidate: DeviceCandidate) -> Bool {
        guard case .rows(let rows) = candidate.matrix.decoding else { return true }
        return rows.contains { $0.codec == configuration.codec.rawValue }
    }

    /// Those that say they can, in the order in which to try them.
    ///
    /// - Parameters:
    ///   - picture: what the stream's SPS says; nil where it cannot be read.
    ///   - traits: what else its parameter sets say.
    func candidates(_ picture: StreamParameters.Picture?, _ traits: DecodingTraits) -> [DeviceCandidate] {
        let able = allowed.filter { candidate in
            guard let picture else { return decodes(candidate) }
            return candidate.matrix.decoding.obstacle(
                to: configuration.codec.rawValue, picture.samples, picture.size, softwareTool: traits.softwareTool)
                == nil
        }
        return devices.ordered(able)
    }
}

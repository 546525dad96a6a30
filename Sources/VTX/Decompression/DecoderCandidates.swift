import VTXMedia
import VTXSession

/// The devices that can decode a stream, best first.
struct DecoderCandidates: Sendable {
    let devices: DeviceCandidates
    private let configuration: VideoDecoderConfiguration

    /// - Throws: `.badParameter` if the device name is invalid, `.noSuchDecoder` if hardware is required and none
    ///   decodes the codec.
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

    /// Returns the devices that claim support, in the order in which to try them.
    ///
    /// - Parameters:
    ///   - picture: The format in the stream's SPS; nil if it cannot be parsed.
    ///   - traits: The other properties in its parameter sets.
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

import VTXFFmpeg
import VTXMedia
import VTXSession

/// The devices that can decode a stream, the best first.
///
/// Unchecked: it belongs to one session's queue.
final class DecoderLadder: @unchecked Sendable {
    private let configuration: VideoDecoderConfiguration
    private let backends: SharedBackends
    private(set) var generation: SharedBackends.Generation
    /// How often in a row a device's decoder failed before its first frame came out.
    private var failures: [String: Int] = [:]

    /// - Throws: `.noSuchDecoder` where hardware is required and none decodes the codec.
    init(_ configuration: VideoDecoderConfiguration, _ backends: SharedBackends) throws(SessionError) {
        self.configuration = configuration
        self.backends = backends
        generation = backends.current()
        guard configuration.hardware == .require, !offers.contains(where: decodes) else { return }
        let device = configuration.device.map { " named '\($0)'" } ?? ""
        throw SessionError(
            .noSuchDecoder, "no hardware here\(device) decodes \(configuration.codec), and software is not allowed")
    }

    private var offers: [DeviceOffer] {
        let all = DeviceOffer.all(from: generation.backends, allowsHardware: configuration.hardware != .off)
        let named = all.named(configuration.device)
        return (configuration.hardware == .require ? named.hardware : named).ranked
    }

    private func decodes(_ offer: DeviceOffer) -> Bool {
        guard case .rows(let rows) = offer.matrix.decoding else { return true }
        return rows.contains { $0.codec == configuration.codec.rawValue }
    }

    /// - Parameters: what the stream's SPS says; nil where it cannot be read.
    func candidates(_ samples: PixelFormat?, _ size: PixelSize?) -> [DeviceOffer] {
        let able = offers.filter { offer in
            guard let samples, let size else { return decodes(offer) }
            return offer.matrix.decoding.obstacle(to: configuration.codec.rawValue, samples, size) == nil
        }
        // Once may be a reset; who fails twice has others go before it.
        let isRefused = { (offer: DeviceOffer) in self.failures[offer.matrix.device.name, default: 0] > 1 }
        return able.filter { !isRefused($0) } + able.filter(isRefused)
    }

    func openSoftware() throws(SessionError) -> any DeviceSession {
        guard let offer = DeviceOffer.all(from: generation.backends, allowsHardware: false).first else {
            throw SessionError(.notAvailableNow, "there is no software backend")
        }
        return try offer.backend.openSession(on: offer.matrix.device, budget: SurfaceBudget(queueDepth: 1))
    }

    func noteFailure(_ device: DeviceID) { failures[device.name, default: 0] += 1 }
    func renew() { generation = backends.current(replacing: generation) }
    /// What failed before may be well again.
    func pardon() { failures = [:] }
}

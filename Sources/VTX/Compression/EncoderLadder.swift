import VTXMedia
import VTXSession

/// The devices that can encode what is asked for, the best first.
final class EncoderLadder: Sendable {
    let codec: VideoCodec
    private let backends: SharedBackends
    private let state: Locked<State>

    private struct State {
        var generation: SharedBackends.Generation
        /// How often in a row a device's session failed before its first frame came out.
        var failures: [String: Int] = [:]
    }

    /// - Throws: `.badParameter` for a device that is not there, `.noSuchEncoder` where none can do it.
    init(_ configuration: VideoEncoderConfiguration, _ backends: SharedBackends) throws(SessionError) {
        let generation = backends.current()
        self.backends = backends
        state = Locked(State(generation: generation))
        let offers = Self.offers(generation, configuration)
        if let device = configuration.device, configuration.hardware != .off {
            let hardware = DeviceOffer.all(from: generation.backends, allowsHardware: true).hardware
            guard hardware.contains(where: { $0.matrix.selectors.contains(device) }) else {
                let known = hardware.map(\.matrix.device.name).joined(separator: ", ")
                throw SessionError(
                    .badParameter, "there is no device '\(device)'" + (known.isEmpty ? "" : "; allowed: \(known)"))
            }
        }
        codec = configuration.codec ?? configuration.profile?.codec ?? offers.defaultCodec
        try check(configuration)
    }

    private static func offers(
        _ generation: SharedBackends.Generation, _ configuration: VideoEncoderConfiguration
    ) -> [DeviceOffer] {
        let all = DeviceOffer.all(from: generation.backends, allowsHardware: configuration.hardware != .off)
        let named = all.named(configuration.device)
        return (configuration.hardware == .require ? named.hardware : named).ranked
    }

    var generation: SharedBackends.Generation { state.withLock { $0.generation } }

    /// - Throws: `.badParameter` for another codec's profile, `.noSuchEncoder` where no device can do it.
    func check(_ configuration: VideoEncoderConfiguration) throws(SessionError) {
        let profile = configuration.profile ?? VideoProfile(defaultFor: codec)
        guard profile.codec == codec else {
            let allowed = VideoProfile.allCases.filter { $0.codec == codec }.map(\.name).joined(separator: ", ")
            throw SessionError(.badParameter, "\(profile.name) is not a profile of \(codec); allowed: \(allowed)")
        }
        guard candidates(configuration).isEmpty else { return }
        throw SessionError(
            .noSuchEncoder,
            configuration.hardware == .require
                ? "no hardware here encodes \(codec) \(profile.name) in \(configuration.size), and software is not allowed"
                : "no encoder here makes \(codec) \(profile.name) in \(configuration.size)")
    }

    /// Those that say they can, in the order in which to try them.
    func candidates(_ configuration: VideoEncoderConfiguration) -> [DeviceOffer] {
        let profile = configuration.profile ?? VideoProfile(defaultFor: codec)
        let (generation, failures) = state.withLock { ($0.generation, $0.failures) }
        let able = Self.offers(generation, configuration).filter {
            $0.matrix.encoder(codec, profile)?.holds(configuration.size) ?? false
        }
        // Once may be a reset; who fails twice has others go before it.
        let isRefused = { (offer: DeviceOffer) in failures[offer.matrix.device.name, default: 0] > 1 }
        return able.filter { !isRefused($0) } + able.filter(isRefused)
    }

    /// Where frames that a device cannot bring into shape are brought into it.
    func openSoftware() throws(SessionError) -> any DeviceSession {
        guard let offer = DeviceOffer.all(from: generation.backends, allowsHardware: false).first else {
            throw SessionError(.notAvailableNow, "there is no software backend")
        }
        return try offer.backend.openSession(on: offer.matrix.device, budget: SurfaceBudget(queueDepth: 1))
    }

    func noteFailure(_ device: DeviceID) { state.withLock { $0.failures[device.name, default: 0] += 1 } }

    /// The devices are not trusted any more: they are opened anew.
    func renew() {
        let renewed = backends.current(replacing: generation)
        state.withLock { $0.generation = renewed }
    }

    /// What failed before may be well again.
    func pardon() { state.withLock { $0.failures = [:] } }
}

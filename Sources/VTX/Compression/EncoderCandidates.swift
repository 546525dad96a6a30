import VTXMedia
import VTXSession

/// The devices that can encode what is asked for, the best first.
struct EncoderCandidates: Sendable {
    let codec: VideoCodec
    let devices: DeviceCandidates

    /// - Throws: `.badParameter` for a device that is not there, `.noSuchEncoder` where none can do it.
    init(_ configuration: VideoEncoderConfiguration, _ backends: SharedBackends) throws(SessionError) {
        devices = try DeviceCandidates(backends, device: configuration.device)
        if devices.device != .auto, configuration.hardware != .off, devices.offers(.require).isEmpty {
            let known = devices.all(.auto).hardware.map(\.matrix.device.name).joined(separator: ", ")
            throw SessionError(
                .badParameter,
                "there is no device '\(devices.device)'" + (known.isEmpty ? "" : "; allowed: \(known)"))
        }
        let offers = devices.offers(configuration.hardware)
        codec = configuration.codec ?? configuration.profile?.codec ?? offers.defaultCodec
        try check(configuration)
    }

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
    func candidates(_ configuration: VideoEncoderConfiguration) -> [DeviceCandidate] {
        let profile = configuration.profile ?? VideoProfile(defaultFor: codec)
        let offers = devices.offers(configuration.hardware)
        return devices.ordered(
            offers.filter { $0.matrix.encoder(codec, profile)?.holds(configuration.size) ?? false })
    }
}

import VTXMedia
import VTXSession

/// The devices that can encode a configuration, best first.
struct EncoderCandidates: Sendable {
    let codec: VideoCodec
    let devices: DeviceCandidates

    /// - Throws: `.badParameter` if the device does not exist, `.noSuchEncoder` if no device supports the
    ///   configuration.
    init(_ configuration: VideoEncoderConfiguration, _ backends: SharedBackends) throws(SessionError) {
        devices = try DeviceCandidates(backends, device: configuration.device)
        if devices.device != .auto, configuration.hardware != .off, devices.candidates(.require).isEmpty {
            let known = devices.all(.auto).hardware.map(\.matrix.device.name).joined(separator: ", ")
            throw SessionError(
                .badParameter,
                "there is no device '\(devices.device)'" + (known.isEmpty ? "" : "; allowed: \(known)"))
        }
        let candidates = devices.candidates(configuration.hardware)
        codec = configuration.codec ?? configuration.profile?.codec ?? candidates.defaultCodec
        try check(configuration)
    }

    /// - Throws: `.badParameter` for a profile of another codec, `.noSuchEncoder` if no device supports the
    ///   configuration.
    func check(_ configuration: VideoEncoderConfiguration) throws(SessionError) {
        if codec == .av1 { try checkAV1(configuration) }
        let profile = configuration.profile ?? VideoProfile(defaultFor: codec)
        guard profile.codec == codec else {
            let allowed = VideoProfile.allCases.filter { $0.codec == codec }.map(\.name).joined(separator: ", ")
            throw SessionError(.badParameter, "\(profile.name) is not a profile of \(codec); allowed: \(allowed)")
        }
        try configuration.checkLevel(of: codec)
        guard candidates(configuration).isEmpty else { return }
        if let obstacle = configuration.softwareObstacle(codec) {
            throw SessionError(
                .propertyNotSupported, "software does not encode \(codec) \(obstacle), nor does hardware here")
        }
        throw SessionError(
            .noSuchEncoder,
            configuration.hardware == .require
                ? "no hardware here encodes \(codec) \(profile.name) in \(configuration.codedSize), and software is not allowed"
                : "no encoder here supports \(codec) \(profile.name) in \(configuration.codedSize)")
    }

    /// Returns the devices that claim support, in the order in which to try them.
    func candidates(_ configuration: VideoEncoderConfiguration) -> [DeviceCandidate] {
        let profile = configuration.profile ?? VideoProfile(defaultFor: codec)
        let candidates = devices.candidates(configuration.hardware)
        return devices.ordered(
            candidates.filter {
                guard $0.matrix.isHardware || configuration.softwareObstacle(codec) == nil else { return false }
                guard let row = $0.matrix.encoder(codec, profile) else { return false }
                return row.holds(configuration.codedSize)
                    && (configuration.baseLayerFrameRateFraction == 1 || row.reordersFrames)
            })
    }

    private func checkAV1(_ configuration: VideoEncoderConfiguration) throws(SessionError) {
        guard configuration.pixelAspectRatio.value == 1 else {
            throw SessionError(
                .propertyNotSupported,
                "pixelAspectRatio cannot be \(configuration.pixelAspectRatio): AV1 has square pixels only")
        }
        guard configuration.baseLayerFrameRateFraction == 1 else {
            throw SessionError(
                .propertyNotSupported,
                "baseLayerFrameRateFraction cannot be \(configuration.baseLayerFrameRateFraction) in AV1")
        }
    }
}

extension VideoEncoderConfiguration {
    /// Returns the setting that SVT-AV1 does not support; nil for none.
    fileprivate func softwareObstacle(_ codec: VideoCodec) -> String? {
        guard codec == .av1 else { return nil }
        return isRealTime ? "in real time" : dataRateLimits.isEmpty ? nil : "with dataRateLimits"
    }
}

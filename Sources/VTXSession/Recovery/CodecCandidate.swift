package import VTXMedia

/// A device on which a codec can be opened.
package struct CodecCandidate<Codec>: Sendable {
    package var device: DeviceID
    /// The display name.
    package var name: String
    package var isHardware: Bool
    package var open: @Sendable (CodecNeeds) throws(SessionError) -> Codec

    package init(
        _ matrix: CapabilityMatrix, open: @escaping @Sendable (CodecNeeds) throws(SessionError) -> Codec
    ) {
        (device, name, isHardware) = (matrix.device, matrix.deviceName, matrix.isHardware)
        self.open = open
    }
}

/// The constraints of a codec that takes over in mid-stream.
package struct CodecNeeds: Sendable, Hashable {
    /// The maximum number of frames by which decoding order precedes display order; nil if nothing has come out yet.
    package var maxReorderDepth: Int?
    /// What previous packets have used of the stream's rate; nil if the rate is not limited.
    package var rate: RateAccount?

    package init(maxReorderDepth: Int? = nil, rate: RateAccount? = nil) {
        (self.maxReorderDepth, self.rate) = (maxReorderDepth, rate)
    }
}

extension EncoderConfiguration {
    /// Returns the configuration of an encoder that takes over.
    package func keeping(to needs: CodecNeeds) -> EncoderConfiguration {
        var configuration = resumed(after: needs.rate)
        configuration.maxReorderDepth = [maxReorderDepth, needs.maxReorderDepth].compactMap(\.self).min()
        return configuration
    }
}

/// The replacement of a lost codec by another one.
package struct CodecReplacement: Sendable, Hashable {
    package var lostDevice: DeviceID
    /// The display name.
    package var lostName: String
    /// The error that lost the codec.
    package var reason: SessionError
    package var device: DeviceID
    package var name: String
    /// The settings that the new codec does not support, as sentences for users.
    package var compromises: [String] = []

    package var isSameDevice: Bool { device == lostDevice }

    package init<Codec>(
        of lost: CodecCandidate<Codec>, after failure: SessionError, by candidate: CodecCandidate<Codec>,
        compromises: [String] = []
    ) {
        (lostDevice, lostName, reason) = (lost.device, lost.name, failure)
        (device, name) = (candidate.device, candidate.name)
        self.compromises = compromises
    }
}

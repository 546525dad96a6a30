package import VTXMedia

/// A device that a codec can be opened on, and how.
package struct CodecCandidate<Codec>: Sendable {
    package var device: DeviceID
    /// As users know it.
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

/// What a codec that takes over in mid-stream has to keep to.
package struct CodecNeeds: Sendable, Hashable {
    /// Frames by which decoding is ahead of showing, at most; nil where nothing has come out yet.
    package var maxReorderDepth: Int?
    /// What the packets before have taken of the stream's rate; nil where it has none to keep.
    package var rate: RateAccount?

    package init(maxReorderDepth: Int? = nil, rate: RateAccount? = nil) {
        (self.maxReorderDepth, self.rate) = (maxReorderDepth, rate)
    }
}

extension EncoderConfiguration {
    /// For an encoder that takes over.
    package func keeping(to needs: CodecNeeds) -> EncoderConfiguration {
        var configuration = goingOn(after: needs.rate)
        configuration.maxReorderDepth = [maxReorderDepth, needs.maxReorderDepth].compactMap(\.self).min()
        return configuration
    }
}

/// A codec was lost, and another one goes on in its place.
package struct CodecReplacement: Sendable, Hashable {
    package var lostDevice: DeviceID
    /// As users know it.
    package var lostName: String
    /// What was lost.
    package var reason: SessionError
    package var device: DeviceID
    package var name: String
    /// What the new one could not do as it was asked; sentences.
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

/// How often in a row each device's codecs were lost. Pure.
package struct CodecLosses: Sendable, Hashable, Codable {
    private var counts: [String: Int] = [:]

    package init() {}

    package mutating func noteLoss(_ device: DeviceID) { counts[device.name, default: 0] += 1 }
    /// A frame came out of it.
    package mutating func noteOutput(_ device: DeviceID) { counts[device.name] = nil }

    /// The order in which to try what is there. One failure may be a reset; a device that failed twice goes last.
    package func ordered<Candidate>(
        _ candidates: [Candidate], device: (Candidate) -> DeviceID
    ) -> [Candidate] {
        let isRefused = candidates.map { counts[device($0).name, default: 0] > 1 }
        let sorted = zip(candidates, isRefused)
        return sorted.filter { !$0.1 }.map(\.0) + sorted.filter(\.1).map(\.0)
    }
}

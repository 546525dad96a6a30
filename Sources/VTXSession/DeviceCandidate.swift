package import VTXMedia

/// A device, and the backend that opens it.
package struct DeviceCandidate: Sendable {
    package var backend: any VideoBackend
    package var matrix: CapabilityMatrix

    package func open() throws(SessionError) -> any DeviceSession {
        try backend.openSession(on: matrix.device)
    }

    /// What the backends have, in their order. Where hardware is not allowed, it is not even asked.
    package static func all(from backends: [any VideoBackend], allowsHardware: Bool) -> [DeviceCandidate] {
        backends.filter { allowsHardware || !$0.isHardware }.flatMap { backend in
            backend.probe().map { DeviceCandidate(backend: backend, matrix: $0) }
        }
    }
}

extension [DeviceCandidate] {
    package var hardware: [DeviceCandidate] { filter(\.matrix.isHardware) }

    /// The hardware that is meant, and all software.
    package func selected(by selector: DeviceSelector) -> [DeviceCandidate] {
        filter { !$0.matrix.isHardware || selector.selects($0.matrix.selectors) }
    }

    /// HEVC where hardware encodes it; else H.264, which plays everywhere.
    package var defaultCodec: VideoCodec { hardware.contains { $0.matrix.encodes(.hevc) } ? .hevc : .h264 }

    /// Hardware goes first, of several devices the least busy one, and then the backends' order counts.
    package var ranked: [DeviceCandidate] {
        enumerated().sorted { Self.rank($0) < Self.rank($1) }.map(\.element)
    }

    private static func rank(_ offer: EnumeratedSequence<[DeviceCandidate]>.Element) -> (Int, Int, Int) {
        (offer.element.matrix.isHardware ? 0 : 1, offer.element.matrix.load, offer.offset)
    }
}

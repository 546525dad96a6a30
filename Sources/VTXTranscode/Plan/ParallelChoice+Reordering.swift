import VTXMedia
import VTXSession
import VTXTask

// All lanes have one decoding order.
extension ParallelChoice {
    /// Returns what no lane does because one of the devices cannot.
    func losses(of encoder: EncoderConfiguration, _ candidates: [DeviceCandidate]) -> String {
        guard encoder.reordersFrames, let simple = withoutReordering(encoder, candidates) else { return "" }
        return ", without B frames, which \(simple.deviceName) does not have"
    }

    /// Returns the first device of a lane that has no B frames; nil if all have them.
    fileprivate func withoutReordering(
        _ encoder: EncoderConfiguration, _ candidates: [DeviceCandidate]
    ) -> CapabilityMatrix? {
        candidates.map(\.matrix).first { matrix in
            guard devices.contains(matrix.device), let row = matrix.encoder(encoder.codec, encoder.profile) else {
                return false
            }
            return encoder.hardware.bFrameDepth == nil ? !row.reordersFrames : !row.reordersFramesOnRequest
        }
    }
}

extension VideoEncoding {
    /// - Parameter candidates: Those of the choice.
    mutating func apply(_ choice: ParallelChoice, on candidates: [DeviceCandidate]) {
        (parallelism, laneDevices, encoder.threads) = (choice.lanes, choice.devices, choice.threads)
        guard !laneDevices.isEmpty else { return }
        // All lanes have one decoding order: that of a GPU's encoder, and of the one that can do least.
        keepReorderingOfHardware()
        if choice.withoutReordering(encoder, candidates) != nil { encoder.maxReorderDepth = 0 }
    }

    mutating func keepReorderingOfHardware() {
        encoder.maxReorderDepth = encoder.reordersFrames ? encoder.hardware.bFrameDepth ?? 1 : 0
    }

    /// The number of open segments per lane: finished segments wait for the slowest one, and software is much slower
    /// than a GPU.
    var openSegmentsPerLane: Int { Set(laneDevices).count > 1 ? 4 : 2 }
}

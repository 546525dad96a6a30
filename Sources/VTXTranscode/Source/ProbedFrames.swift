import VTXFFmpeg
package import VTXMedia
import VTXSession

/// What the first decoded frames show; headers may say otherwise, or nothing.
package struct ProbedFrames: Sendable {
    /// The first frame as the filter will see it; interlaced if any of the frames was.
    package var shape: FrameFormat
    package var hdrMetadata: HDRMetadata
    package var displayMatrix: DisplayMatrix?
    package var sideDataKinds: Set<String>
    /// Frames a second between the frames that were seen; nil with fewer than two times.
    package var measuredRate: Double?
    /// Layers above the base have been seen, of which the frames have nothing.
    package var hasLayers = false

    init?(_ frames: [Frame]) {
        guard let first = frames.first else { return nil }
        shape = FrameFormat(first)
        shape.isInterlaced = frames.contains(where: \.isInterlaced)
        hdrMetadata = first.hdrMetadata
        displayMatrix = first.displayMatrix
        sideDataKinds = Set(frames.flatMap(\.sideDataKinds))
        let times = frames.compactMap { $0.presentationTime?.seconds }
        if let start = times.min(), let end = times.max(), end > start {
            measuredRate = Double(times.count - 1) / (end - start)
        }
    }
}

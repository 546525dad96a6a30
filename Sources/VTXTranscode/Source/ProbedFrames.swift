import VTXFFmpeg
package import VTXMedia
import VTXSession

/// What the first frames show; headers may say otherwise, or nothing.
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

    /// What the headers say.
    init(_ video: StreamInfo) {
        shape = FrameFormat(
            size: video.size, pixelFormat: video.pixelFormat ?? .planar(.yuv420, bitDepth: 8),
            sampleAspectRatio: video.sampleAspectRatio, color: video.color, isInterlaced: video.isInterlaced ?? false)
        hdrMetadata = video.hdrMetadata
        displayMatrix = video.displayMatrix
        sideDataKinds = []
    }

    init?(_ frames: [Frame]) {
        guard let first = frames.first else { return nil }
        shape = FrameFormat(first)
        // As the samples would lie in memory.
        let samples = first.pixelFormat
        if first.isOnSurface { shape.pixelFormat = .planar(samples.chroma, bitDepth: samples.bitDepth) }
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

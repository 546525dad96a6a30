import VTXBitstream
import VTXFFmpeg
import VTXSession

/// Determines how the frames of an H.264 camera depend on each other, so that the decoder knows which are damaged after
/// a loss: those up to the next key frame or recovery point. Pure; access units in decoding order.
struct CaptureDependencies: Sendable {
    private var boundary = AccessUnitBoundary(codec: .h264)
    private var lastIndex: Int?

    /// - Parameters:
    ///   - bytes: An access unit with start codes.
    ///   - index: Its index among all frames of the camera, including lost ones.
    mutating func next(_ bytes: RawSpan, index: Int) -> PictureDependency {
        for unit in AnnexB.units(in: bytes, codec: .h264) { _ = boundary.append(bytes.extracting(unit.range)) }
        let summary = boundary.finish() ?? AccessUnit.Summary()
        let isAfterLoss = lastIndex.map { index > $0 + 1 } ?? false
        lastIndex = index
        var dependency = PictureDependency(summary)
        if isAfterLoss { dependency.hasGap = true }
        return dependency
    }
}

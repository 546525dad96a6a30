import VTXBitstream
import VTXFFmpeg
import VTXSession

/// What the picture of each access unit needs of others. Pure; access units in decoding order.
struct PictureDependencies: Sendable {
    /// PicOrderCnt of the last random access point of H.264 that is no IDR picture.
    private var recoveryOrder: Int?

    mutating func next(_ unit: IncomingUnit) -> PictureDependency {
        let summary = unit.summary
        if summary.beginsSequence { recoveryOrder = nil }
        var dependency = PictureDependency()
        dependency.isIntra = summary.sliceType == .i
        dependency.isReference = summary.isReference
        dependency.hasGap = summary.hasFrameNumGap
        dependency.recoveryCount = summary.isKeyFrame ? 0 : summary.recoveryPoint.map { max(0, $0) }
        dependency.isLeading = unit.gateInfo.isSkippedLeading || isBeforeRecovery(summary)
        if !summary.isKeyFrame, summary.recoveryPoint == 0 { recoveryOrder = summary.pictureOrderCount }
        return dependency
    }

    private func isBeforeRecovery(_ summary: AccessUnit.Summary) -> Bool {
        guard let recoveryOrder, let order = summary.pictureOrderCount else { return false }
        return order < recoveryOrder
    }
}

/// Learns from the order of pictures that a stream reorders them although its headers do not say so. Pure; pictures in
/// decoding order.
///
/// A picture whose count leaves room for another one before it is shown after pictures that are still to come. Counts
/// rise by two a frame, or by one, which the first difference that is smaller shows.
struct ReorderDetector: Sendable {
    private var highest: Int?
    private var step = 2

    /// - Returns: true where pictures have to be held back from this one on.
    mutating func isReordered(_ summary: AccessUnit.Summary) -> Bool {
        if summary.beginsSequence { highest = nil }
        guard let order = summary.pictureOrderCount else { return summary.sliceType == .b }
        defer { highest = max(order, highest ?? order) }
        guard let highest else { return false }
        if order < highest || summary.sliceType == .b || order - highest > step { return true }
        if order > highest { step = min(step, order - highest) }
        return false
    }
}

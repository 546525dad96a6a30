import VTXBitstream
import VTXFFmpeg
import VTXSession

/// Determines how each picture depends on others. Pure; access units in decoding order.
struct PictureDependencies: Sendable {
    /// The PicOrderCnt of the last H.264 random access point that is not an IDR picture.
    private var recoveryOrder: Int?

    mutating func next(_ unit: IncomingUnit) -> PictureDependency {
        let summary = unit.summary
        if summary.beginsSequence { recoveryOrder = nil }
        var dependency = PictureDependency(summary)
        dependency.isLeading = unit.gateInfo.isSkippedLeading || isBeforeRecovery(summary)
        if !summary.isKeyFrame, summary.recoveryPoint == 0 { recoveryOrder = summary.pictureOrderCount }
        return dependency
    }

    private func isBeforeRecovery(_ summary: AccessUnit.Summary) -> Bool {
        guard let recoveryOrder, let order = summary.pictureOrderCount else { return false }
        return order < recoveryOrder
    }
}

/// Detects reordering from the picture order counts of a stream whose headers do not declare it. Pure; pictures in
/// decoding order.
///
/// A picture is reordered if its count leaves room for another picture to be shown before it. Counts increase by two
/// per frame, or by one, which is known from the first smaller difference.
struct ReorderDetector: Sendable {
    private var highest: Int?
    private var step = 2

    /// - Returns: true if pictures have to be held back from this one on.
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

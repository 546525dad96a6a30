/// The quality of a video over time, where it was measured: the worst of each interval.
package struct QualityCurve: Sendable, Hashable, Codable {
    /// A measured interval.
    package struct Point: Sendable, Hashable, Codable {
        /// The start of the interval in the output, in seconds.
        package var time: Double
        /// In dB.
        package var psnr: Double

        package init(time: Double, psnr: Double) { (self.time, self.psnr) = (time, psnr) }
    }

    /// The length of an interval, in seconds.
    package private(set) var interval = 1.0
    /// The intervals with measured frames, in order.
    package private(set) var points: [Point] = []

    /// Intervals grow, so that there are never more.
    package static let limit = 240

    package init() {}

    package mutating func note(psnr: Double, at time: Double) {
        let start = (time / interval).rounded(.down) * interval
        let index = points.lastIndex { $0.time <= start }
        if let index, points[index].time == start {
            points[index].psnr = min(points[index].psnr, psnr)
        } else {
            points.insert(Point(time: start, psnr: psnr), at: index.map { $0 + 1 } ?? 0)
        }
        if points.count > Self.limit { widen() }
    }

    private mutating func widen() {
        let all = points
        (points, interval) = ([], interval * 2)
        for point in all { note(psnr: point.psnr, at: point.time) }
    }
}

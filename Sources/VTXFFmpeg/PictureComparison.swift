import CFFmpeg
import Glibc
package import VTXMedia

/// Measures how like their originals pictures are, by libavfilter's filter for the metric.
///
/// Unchecked: one thread at a time calls it.
package final class PictureComparison: @unchecked Sendable {
    private let metric: QualityMetric
    private var graph: FilterGraph?
    private var count: Int64 = 0
    /// Of the pictures so far; of all of them after ``finish()``.
    package private(set) var score: QualityScore
    /// Of each picture so far, in their order; the last ones come with ``finish()``.
    package private(set) var values: [Double] = []

    package init(_ metric: QualityMetric) {
        self.metric = metric
        score = QualityScore(metric)
    }

    /// Whether this libavfilter has the metric's filter.
    package static func isAvailable(_ metric: QualityMetric) -> Bool { avfilter_get_by_name(metric.rawValue) != nil }

    /// Both in memory, of one size; samples may lie in planes or interleaved.
    package func add(_ picture: Frame, original: Frame) throws(FFmpegError) {
        // What belongs together has one time, in one unit.
        let pair = try [picture, original].map { frame throws(FFmpegError) in
            let same = try frame.reference()
            same.setTimes(pts: count, duration: 1, timeBase: Rational(1, 1000))
            return same
        }
        if graph == nil { graph = try makeGraph(like: pair, original.pixelFormat) }
        guard let graph else { return }
        for (input, frame) in pair.enumerated() { try graph.send(frame, to: input) }
        score.bitDepth = original.pixelFormat.bitDepth
        count += 1
        try take(from: graph)
    }

    /// There are no more; the next picture may have another size.
    package func finish() throws(FFmpegError) {
        guard let graph else { return }
        try graph.send(nil, to: 0)
        try graph.send(nil, to: 1)
        try take(from: graph)
        (self.graph, count) = (nil, 0)
    }

    private func makeGraph(like pair: [Frame], _ samples: PixelFormat) throws(FFmpegError) -> FilterGraph {
        let format = PixelFormat.planar(samples.chroma, bitDepth: samples.bitDepth).name
        return try FilterGraph(
            videoLike: pair, chain: "[in0]format=\(format)[a];[in1]format=\(format)[b];[a][b]\(metric.rawValue)")
    }

    private func take(from graph: FilterGraph) throws(FFmpegError) {
        while case .unit(let measured) = try graph.receive() {
            if let value = score.add(measured.metadata) { values.append(value) }
        }
    }
}

/// A metric's mean over pictures.
package struct QualityScore: Sendable, Hashable {
    package let metric: QualityMetric
    /// Of the originals' samples.
    var bitDepth = 8
    package private(set) var pictures = 0
    /// Of each of the metric's values: one, or one a component.
    private var sums: [Double] = []

    /// Nothing that differs less can be seen or coded.
    private static let most = 100.0

    init(_ metric: QualityMetric) { self.metric = metric }

    /// - Parameter values: the filter's for a picture.
    /// - Returns: that picture's own score; nil where the filter says none.
    mutating func add(_ values: [MetadataEntry]) -> Double? {
        let found = Self.keys(of: metric).compactMap { values[$0].flatMap(Double.init) }
        guard !found.isEmpty else { return nil }
        let measured = metric == .xpsnr ? found.map { min($0, Self.most) } : found
        if sums.isEmpty { sums = Array(repeating: 0, count: measured.count) }
        for (place, value) in zip(sums.indices, measured) { sums[place] += value }
        pictures += 1
        return score(of: measured)
    }

    /// nil before the first picture.
    package var mean: Double? { score(of: sums.map { $0 / Double(max(1, pictures)) }) }

    /// One number for a metric's values.
    private func score(of values: [Double]) -> Double? {
        switch metric {
        case .ssim: return values.first
        case .xpsnr: return values.min()
        case .psnr:
            let peak = Double((1 << bitDepth) - 1)
            return values.first.map { $0 > 0 ? min(Self.most, 10 * log10(peak * peak / $0)) : Self.most }
        }
    }

    /// As the filters call them; of PSNR the squared error, whose mean is the one of all pictures together.
    private static func keys(of metric: QualityMetric) -> [String] {
        switch metric {
        case .ssim: ["lavfi.ssim.All"]
        case .psnr: ["lavfi.psnr.mse_avg"]
        case .xpsnr: ["lavfi.xpsnr.xpsnr.y", "lavfi.xpsnr.xpsnr.u", "lavfi.xpsnr.xpsnr.v"]
        }
    }
}

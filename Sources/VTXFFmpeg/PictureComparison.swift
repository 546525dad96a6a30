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

    package init(_ metric: QualityMetric) {
        self.metric = metric
        score = QualityScore(metric)
    }

    /// Whether this libavfilter has the metric's filter.
    package static func isAvailable(_ metric: QualityMetric) -> Bool { avfilter_get_by_name(metric.rawValue) != nil }

    /// Both in memory, of one size; samples may lie in planes or interleaved.
    package func add(_ picture: Frame, original: Frame) throws(FFmpegError) {
        if graph == nil { graph = try makeGraph(picture, original) }
        guard let graph else { return }
        for (input, frame) in [picture, original].enumerated() {
            let pair = try frame.reference()
            // What belongs together has one time.
            pair.setTimes(pts: count, duration: 1, timeBase: pair.timeBase)
            try graph.send(pair, to: input)
        }
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

    private func makeGraph(_ picture: Frame, _ original: Frame) throws(FFmpegError) -> FilterGraph {
        let format = PixelFormat.planar(original.pixelFormat.chroma, bitDepth: original.pixelFormat.bitDepth).name
        return try FilterGraph(
            videoLike: [picture, original],
            chain: "[in0]format=\(format)[a];[in1]format=\(format)[b];[a][b]\(metric.rawValue)")
    }

    private func take(from graph: FilterGraph) throws(FFmpegError) {
        while case .unit(let measured) = try graph.receive() { score.add(measured.metadata) }
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

    /// The filter's values for a picture.
    mutating func add(_ values: [MetadataEntry]) {
        let measured = Self.keys(of: metric).compactMap { values[$0].flatMap(Double.init) }
        guard !measured.isEmpty else { return }
        if sums.isEmpty { sums = Array(repeating: 0, count: measured.count) }
        for (place, value) in zip(sums.indices, measured) {
            sums[place] += metric == .xpsnr ? min(value, Self.most) : value
        }
        pictures += 1
    }

    /// nil before the first picture.
    package var mean: Double? {
        let means = sums.map { $0 / Double(max(1, pictures)) }
        switch metric {
        case .ssim: return means.first
        case .xpsnr: return means.min()
        case .psnr:
            let peak = Double((1 << bitDepth) - 1)
            return means.first.map { $0 > 0 ? min(Self.most, 10 * log10(peak * peak / $0)) : Self.most }
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

import CFFmpeg
import Glibc
package import VTXMedia

/// Measures the similarity of frames to their originals with libavfilter's filter for the metric.
///
/// Unchecked: one thread at a time calls it.
package final class PictureComparison: @unchecked Sendable {
    private let metric: QualityMetric
    private var graph: FilterGraph?
    private var log: VMAFLog?
    private var count: Int64 = 0
    /// The score of the frames so far, and of all frames after ``finish()``.
    package private(set) var score: QualityScore
    /// The value of each frame so far, in order; the last ones are added by ``finish()``.
    package private(set) var values: [Double] = []

    package init(_ metric: QualityMetric) {
        self.metric = metric
        score = QualityScore(metric)
    }

    /// Whether this libavfilter has the metric's filter.
    package static func isAvailable(_ metric: QualityMetric) -> Bool { FilterLibrary.has(metric.filterName) }

    /// Adds a pair of frames in memory of the same size. Samples may be planar or interleaved.
    package func add(_ picture: Frame, original: Frame) throws(FFmpegError) {
        // The filters pair frames by timestamp, so both get the same one.
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

    /// Flushes the filter. The next frame may have another size.
    package func finish() throws(FFmpegError) {
        guard graph != nil else { return }
        try flush()
        // This frees the filter, which then writes its log.
        (graph, count) = (nil, 0)
        takeLog()
    }

    private func flush() throws(FFmpegError) {
        guard let graph else { return }
        try graph.send(nil, to: 0)
        try graph.send(nil, to: 1)
        try take(from: graph)
    }

    private func makeGraph(like pair: [Frame], _ samples: PixelFormat) throws(FFmpegError) -> FilterGraph {
        let format = PixelFormat.planar(samples.chroma, bitDepth: samples.bitDepth).name
        if metric == .vmaf { log = try VMAFLog() }
        let options = log.map { "=" + $0.options(for: pair[1].size) } ?? ""
        return try FilterGraph(
            videoLike: pair,
            chain: "[in0]format=\(format)[a];[in1]format=\(format)[b];[a][b]\(metric.filterName)\(options)")
    }

    private func take(from graph: FilterGraph) throws(FFmpegError) {
        while case .unit(let measured) = try graph.receive() {
            if let value = score.add(measured.metadata) { values.append(value) }
        }
    }

    private func takeLog() {
        values += (log?.values() ?? []).compactMap { score.add([$0]) }
        log = nil
    }
}

/// The mean of a metric over frames.
package struct QualityScore: Sendable, Hashable {
    package let metric: QualityMetric
    /// The bit depth of the originals.
    var bitDepth = 8
    package private(set) var pictures = 0
    /// The sum of each of the metric's values: one, or one per component.
    private var sums: [Double] = []

    /// The maximum: smaller differences are neither visible nor codable.
    private static let most = 100.0

    init(_ metric: QualityMetric) { self.metric = metric }

    /// - Parameter values: The filter's metadata of a frame.
    /// - Returns: the score of that frame; nil if the filter reports none.
    mutating func add(_ values: [MetadataEntry]) -> Double? {
        add(Self.keys(of: metric).compactMap { values[$0].flatMap(Double.init) })
    }

    mutating func add(_ found: [Double]) -> Double? {
        guard !found.isEmpty else { return nil }
        let measured = metric == .xpsnr ? found.map { min($0, Self.most) } : found
        if sums.isEmpty { sums = Array(repeating: 0, count: measured.count) }
        for (place, value) in zip(sums.indices, measured) { sums[place] += value }
        pictures += 1
        return score(of: measured)
    }

    /// nil before the first frame.
    package var mean: Double? { score(of: sums.map { $0 / Double(max(1, pictures)) }) }

    /// Combines a metric's values into one number.
    private func score(of values: [Double]) -> Double? {
        switch metric {
        case .ssim, .vmaf: return values.first
        case .xpsnr: return values.min()
        case .psnr:
            let peak = Double((1 << bitDepth) - 1)
            return values.first.map { $0 > 0 ? min(Self.most, 10 * log10(peak * peak / $0)) : Self.most }
        }
    }

    /// The filters' metadata keys. For PSNR the squared error, whose mean is that of all frames together.
    private static func keys(of metric: QualityMetric) -> [String] {
        switch metric {
        case .ssim: ["lavfi.ssim.All"]
        case .psnr: ["lavfi.psnr.mse_avg"]
        case .xpsnr: ["lavfi.xpsnr.xpsnr.y", "lavfi.xpsnr.xpsnr.u", "lavfi.xpsnr.xpsnr.v"]
        case .vmaf: []
        }
    }
}

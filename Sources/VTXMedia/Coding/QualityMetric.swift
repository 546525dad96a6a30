import Glibc

/// A measure of how like its original a picture is; libavfilter has a filter of the same name for each.
package enum QualityMetric: String, Sendable, Hashable, CaseIterable, Codable {
    /// The structural similarity, up to 1.
    case ssim
    /// The peak signal-to-noise ratio of all components together, in dB.
    case psnr
    /// The perceptually weighted PSNR of the worst component, in dB. From FFmpeg 7.1 on.
    case xpsnr

    package var name: String { rawValue.uppercased() }

    /// What a target may be.
    package var range: ClosedRange<Double> {
        switch self {
        case .ssim: 0.5...0.9999
        case .psnr, .xpsnr: 20...70
        }
    }

    /// On a scale that grows about evenly with the quality: dB.
    package func decibels(_ value: Double) -> Double {
        switch self {
        case .ssim: value < 1 ? -10 * log10(1 - value) : .infinity
        case .psnr, .xpsnr: value
        }
    }

    /// With the digits that say something: `0.9853`, `41.27 dB`.
    package func text(_ value: Double) -> String {
        switch self {
        case .ssim: "\((value * 10_000).rounded() / 10_000)"
        case .psnr, .xpsnr: "\((value * 100).rounded() / 100) dB"
        }
    }
}

/// The least that the output's pictures are to have of a metric, in the mean.
package struct QualityTarget: Sendable, Hashable, Codable {
    package var metric: QualityMetric
    package var value: Double

    package init(_ metric: QualityMetric, _ value: Double) { (self.metric, self.value) = (metric, value) }
}

extension QualityTarget: CustomStringConvertible {
    /// `ssim=0.985`.
    package var description: String {
        let text = "\(value)"
        return "\(metric.rawValue)=\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)"
    }
}

import Glibc

/// An objective metric of picture quality. libavfilter has a filter for each.
package enum QualityMetric: String, Sendable, Hashable, CaseIterable, Codable {
    /// The structural similarity index (SSIM), up to 1.
    case ssim
    /// The peak signal-to-noise ratio (PSNR) over all components, in dB.
    case psnr
    /// The perceptually weighted PSNR of the worst component, in dB. Requires FFmpeg 7.1.
    case xpsnr
    /// Netflix' VMAF, up to 100. Where libavfilter is built with libvmaf.
    case vmaf

    package var filterName: String { self == .vmaf ? "libvmaf" : rawValue }

    /// Whether a picture's value is there as soon as the picture has been compared, and not at the end alone.
    package var comesAtOnce: Bool { self != .vmaf }

    package var name: String { rawValue.uppercased() }

    /// The allowed range of a target.
    package var range: ClosedRange<Double> {
        switch self {
        case .ssim: 0.5...0.9999
        case .psnr, .xpsnr: 20...70
        case .vmaf: 20...99.5
        }
    }

    /// Converts a value to decibels, a scale that is roughly proportional to the perceived quality.
    package func decibels(_ value: Double) -> Double {
        switch self {
        case .ssim: value < 1 ? -10 * log10(1 - value) : .infinity
        case .psnr, .xpsnr: value
        case .vmaf: Self.decibels(vmaf: value)
        }
    }

    /// Near 100, VMAF approaches its end as SSIM does; below, it is proportional to the quality itself. Half a point is
    /// at least 0.2 dB.
    private static func decibels(vmaf value: Double) -> Double {
        let slope = 0.4
        // Where the logarithm has this slope.
        let knee = 100 - 10 / (slope * log(10))
        guard value < 100 else { return .infinity }
        return -10 * log10(1 - max(value, knee) / 100) - slope * max(0, knee - value)
    }

    /// The value with its significant digits: `0.9853`, `41.27 dB`.
    package func text(_ value: Double) -> String {
        switch self {
        case .ssim: "\((value * 10_000).rounded() / 10_000)"
        case .psnr, .xpsnr: "\((value * 100).rounded() / 100) dB"
        case .vmaf: "\((value * 100).rounded() / 100)"
        }
    }
}

/// The minimum mean value of a metric that the output must reach.
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

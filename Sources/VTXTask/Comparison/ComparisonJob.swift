package import VTXMedia

/// Measures the quality of a file against its original, frame by frame.
package struct ComparisonJob: Sendable, Hashable, Codable {
    package var original: String
    package var output: String
    /// nil for all available metrics.
    package var metrics: [QualityMetric]?
    /// The path of a PNG with the worst frames of both files; nil for none.
    package var picture: String?
    package var replacesPicture = false

    package init(original: String, output: String) {
        self.original = original
        self.output = output
    }

    package enum Event: Sendable {
        /// Further frames, in order.
        case frames([ComparedFrame])
        case notice(Notice)
        case progress(Progress)
    }
}

/// A frame of the original and the frame of the output that is displayed at the same time.
package struct ComparedFrame: Sendable, Hashable, Codable {
    /// The frame's number in each file, from 0.
    package var frame: Int
    package var outputFrame: Int
    /// The time since the original's first frame.
    package var seconds: Double
    package var values = MetricValues()

    package init(frame: Int, outputFrame: Int, seconds: Double) {
        self.frame = frame
        self.outputFrame = outputFrame
        self.seconds = seconds
    }
}

/// The values of the measured metrics.
package struct MetricValues: Sendable, Hashable, Codable {
    package var ssim: Double?
    package var psnr: Double?
    package var xpsnr: Double?
    package var vmaf: Double?

    package init() {}

    package subscript(metric: QualityMetric) -> Double? {
        get { self[keyPath: Self.path(of: metric)] }
        set { self[keyPath: Self.path(of: metric)] = newValue }
    }

    private static func path(of metric: QualityMetric) -> WritableKeyPath<Self, Double?> {
        switch metric {
        case .ssim: \.ssim
        case .psnr: \.psnr
        case .xpsnr: \.xpsnr
        case .vmaf: \.vmaf
        }
    }
}

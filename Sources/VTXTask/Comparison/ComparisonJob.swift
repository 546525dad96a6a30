package import VTXMedia

/// Measures how like its original a file is, picture by picture.
package struct ComparisonJob: Sendable, Hashable, Codable {
    package var original: String
    package var output: String
    /// nil for all that there are.
    package var metrics: [QualityMetric]?
    /// Where the worst pictures of both go, as PNG; nil for nowhere.
    package var picture: String?
    package var replacesPicture = false

    package init(original: String, output: String) {
        self.original = original
        self.output = output
    }

    package enum Event: Sendable {
        /// Some more of them, in their order.
        case frames([ComparedFrame])
        case notice(Notice)
        case progress(Progress)
    }
}

/// A picture of the original beside the one of the output that is shown at the same time.
package struct ComparedFrame: Sendable, Hashable, Codable {
    /// The picture's number in each file, from 0.
    package var frame: Int
    package var outputFrame: Int
    /// From the original's first picture on.
    package var seconds: Double
    package var values = MetricValues()

    package init(frame: Int, outputFrame: Int, seconds: Double) {
        self.frame = frame
        self.outputFrame = outputFrame
        self.seconds = seconds
    }
}

/// A value of each metric that was measured.
package struct MetricValues: Sendable, Hashable, Codable {
    package var ssim: Double?
    package var psnr: Double?
    package var xpsnr: Double?

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
        }
    }
}

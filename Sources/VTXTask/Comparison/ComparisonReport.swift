package import VTXMedia

/// The result of comparing two files.
package struct ComparisonReport: Sendable, Hashable, Codable {
    package var original: ComparedFile
    package var output: ComparedFile
    /// The number of compared frames.
    package var frames: Int
    package var metrics: [MetricStatistics]
    /// The frames in the PNG, row by row, chosen by the first metric.
    package var shown: [MetricStatistics.WorstFrame] = []
    /// `.incompleteSource` if one of the files is damaged: the values are those of the readable part.
    package var outcome = TranscodeResult.Outcome.completed

    package init(original: ComparedFile, output: ComparedFile, frames: Int, metrics: [MetricStatistics]) {
        self.original = original
        self.output = output
        self.frames = frames
        self.metrics = metrics
    }
}

/// The properties of one file that matter for a comparison.
package struct ComparedFile: Sendable, Hashable, Codable {
    package var path: String
    /// The size at which frames are compared, before scaling.
    package var size: PixelSize
    package var pixelFormat: String
    /// The size of the whole file.
    package var bytes: Int64
    package var videoBytes: Int64
    /// The duration of the video.
    package var seconds: Double
    package var frames: Int
    /// Frames without a counterpart in the other file.
    package var unpairedFrames: Int

    package init(path: String, size: PixelSize, pixelFormat: String) {
        self.path = path
        self.size = size
        self.pixelFormat = pixelFormat
        (bytes, videoBytes, seconds, frames, unpairedFrames) = (0, 0, 0, 0, 0)
    }

    /// Bits per second of the video; nil if it has no duration.
    package var videoBitrate: Int64? { seconds > 0 ? Int64(Double(videoBytes) * 8 / seconds) : nil }
}

/// The statistics of a metric over all frames.
package struct MetricStatistics: Sendable, Hashable, Codable {
    package var metric: QualityMetric
    package var mean: Double
    /// One frame in a hundred has this value or a lower one.
    package var firstPercentile: Double
    package var worst: WorstFrame

    /// The frame with the lowest value, the first if there are several.
    package struct WorstFrame: Sendable, Hashable, Codable {
        package var value: Double
        package var frame: Int
        package var seconds: Double

        package init(value: Double, frame: Int, seconds: Double) {
            (self.value, self.frame, self.seconds) = (value, frame, seconds)
        }
    }

    package init(_ metric: QualityMetric, mean: Double, firstPercentile: Double, worst: WorstFrame) {
        (self.metric, self.mean, self.firstPercentile, self.worst) = (metric, mean, firstPercentile, worst)
    }

    /// - Parameters:
    ///   - mean: The metric's mean, which is not always that of the values: for PSNR it is that of the squared errors.
    ///   - frames: The compared frames. If none has a value, the result is nil.
    package init?(_ metric: QualityMetric, mean: Double, of frames: [ComparedFrame]) {
        let measured = frames.compactMap { frame in frame.values[metric].map { (frame: frame, value: $0) } }
        guard let worst = measured.min(by: { $0.value < $1.value }) else { return nil }
        let sorted = measured.map(\.value).sorted()
        // The nearest rank: the first value that at least one frame in a hundred does not exceed.
        let rank = max(1, (sorted.count + 99) / 100)
        self.init(
            metric, mean: mean, firstPercentile: sorted[rank - 1],
            worst: WorstFrame(value: worst.value, frame: worst.frame.frame, seconds: worst.frame.seconds))
    }
}

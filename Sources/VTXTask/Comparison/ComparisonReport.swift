package import VTXMedia

/// What came of comparing two files.
package struct ComparisonReport: Sendable, Hashable, Codable {
    package var original: ComparedFile
    package var output: ComparedFile
    /// How many pictures have been compared.
    package var frames: Int
    package var metrics: [MetricStatistics]
    /// Those in the picture that was asked for, from its first row on; by the first of the metrics.
    package var shown: [MetricStatistics.WorstFrame] = []
    /// `.incompleteSource` where one of the files is damaged: the values are those of what can be read.
    package var outcome = TranscodeResult.Outcome.completed

    package init(original: ComparedFile, output: ComparedFile, frames: Int, metrics: [MetricStatistics]) {
        self.original = original
        self.output = output
        self.frames = frames
        self.metrics = metrics
    }
}

/// One of the two, as far as it says something about the other.
package struct ComparedFile: Sendable, Hashable, Codable {
    package var path: String
    /// As the pictures were compared, but for scaling.
    package var size: PixelSize
    package var pixelFormat: String
    /// Of the whole file.
    package var bytes: Int64
    package var videoBytes: Int64
    /// Of the video.
    package var seconds: Double
    package var frames: Int
    /// Pictures without a partner in the other file.
    package var unpairedFrames: Int

    package init(path: String, size: PixelSize, pixelFormat: String) {
        self.path = path
        self.size = size
        self.pixelFormat = pixelFormat
        (bytes, videoBytes, seconds, frames, unpairedFrames) = (0, 0, 0, 0, 0)
    }

    /// Bits per second of the video; nil where it has no length.
    package var videoBitrate: Int64? { seconds > 0 ? Int64(Double(videoBytes) * 8 / seconds) : nil }
}

/// A metric over all pictures.
package struct MetricStatistics: Sendable, Hashable, Codable {
    package var metric: QualityMetric
    package var mean: Double
    /// One picture in a hundred is below it, or as low.
    package var firstPercentile: Double
    package var worst: WorstFrame

    /// The picture with the lowest value; of several, the first.
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
    ///   - mean: the metric's own, which is not always that of the values: of PSNR it is that of the squared errors.
    ///   - frames: nil comes back where none has a value.
    package init?(_ metric: QualityMetric, mean: Double, of frames: [ComparedFrame]) {
        let measured = frames.compactMap { frame in frame.values[metric].map { (frame: frame, value: $0) } }
        guard let worst = measured.min(by: { $0.value < $1.value }) else { return nil }
        let sorted = measured.map(\.value).sorted()
        // The nearest rank: the first value that at least one in a hundred does not exceed.
        let rank = max(1, (sorted.count + 99) / 100)
        self.init(
            metric, mean: mean, firstPercentile: sorted[rank - 1],
            worst: WorstFrame(value: worst.value, frame: worst.frame.frame, seconds: worst.frame.seconds))
    }
}

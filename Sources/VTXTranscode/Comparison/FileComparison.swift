import VTXFFmpeg
import VTXMedia
package import VTXSession
package import VTXTask

extension ComparisonJob {
    /// - Parameter device: Decodes both files to memory.
    package func run(
        on device: any DeviceSession, _ cancellation: Cancellation, _ report: @escaping (Event) -> Void
    ) throws(TranscodeError) -> ComparisonReport {
        let known = QualityMetric.allCases.filter(PictureComparison.isAvailable)
        let metrics = metrics ?? known
        if let missing = metrics.first(where: { !known.contains($0) }) {
            throw TranscodeError(
                .targetMetric, "this libavfilter cannot measure \(missing.name)",
                hint: QualityMetric.availableHint(without: missing))
        }
        let (original, output) = (try ComparedVideo(original, on: device), try ComparedVideo(output, on: device))
        let comparison = try FileComparison(original, output, metrics, keepsWorst: picture != nil, report)
        while try comparison.step() {
            if let reason = cancellation.reason { throw .cancelled(reason, "cancelled") }
        }
        let found = try comparison.finish()
        try write(comparison.worst)
        return found
    }
}

/// Compares two files frame by frame.
private final class FileComparison {
    private let original: ComparedVideo
    private let output: ComparedVideo
    private let alignments: (original: PictureAlignment, output: PictureAlignment)
    private let comparisons: [PictureComparison]
    private let metrics: [QualityMetric]
    private var report: ComparisonReport
    private let notify: (ComparisonJob.Event) -> Void
    private let start = ContinuousClock.now
    private(set) var worst = WorstPictures()
    /// The index of the metric that determines the worst frames; nil if none are kept.
    private let judge: Int?
    /// The frames for which that metric has no value yet.
    private var unjudged: [(original: Frame, output: Frame)] = []
    private var frames: [ComparedFrame] = []
    /// The number of frames reported.
    private var reported = 0

    /// The number of frames per message.
    private static let batch = 50

    init(
        _ original: ComparedVideo, _ output: ComparedVideo, _ metrics: [QualityMetric], keepsWorst: Bool,
        _ notify: @escaping (ComparisonJob.Event) -> Void
    ) throws(TranscodeError) {
        let (one, other) = (try original.first(), try output.first())
        let turns = Turns(original.source, output.source)
        let shape = ComparisonShape(one, turned: turns.original)
        let files = (ComparedFile(original, one, turns.original), ComparedFile(output, other, turns.output))
        try turns.check(files.0, files.1)
        let notices = [
            aspectNotice(original: (files.0, one, turns.original), output: (files.1, other, turns.output)),
            rangeNotice(original, output),
        ]
        notices.compactMap(\.self).forEach { notify(.notice($0)) }
        report = ComparisonReport(original: files.0, output: files.1, frames: 0, metrics: [])
        alignments = (
            PictureAlignment(to: shape, turning: turns.original), PictureAlignment(to: shape, turning: turns.output)
        )
        (self.original, self.output, self.metrics, self.notify) = (original, output, metrics, notify)
        judge = keepsWorst ? metrics.firstIndex(where: \.comesAtOnce) : nil
        comparisons = metrics.map { PictureComparison($0) }
    }

    /// - Returns: false at the end.
    func step() throws(TranscodeError) -> Bool {
        switch FramePairing.step(original: try original.times(), output: try output.times()) {
        case .pair: try compare()
        case .passOriginal: original.pass()
        case .passOutput: output.pass()
        case .end: return false
        }
        return true
    }

    private func compare() throws(TranscodeError) {
        guard let one = original.take(), let other = output.take() else { return }
        try measuring { () throws(FFmpegError) in
            guard let left = try alignments.original.align(one.frame),
                let right = try alignments.output.align(other.frame)
            else { return }
            for comparison in comparisons { try comparison.add(right, original: left) }
            frames.append(ComparedFrame(frame: one.number, outputFrame: other.number, seconds: one.seconds))
            if judge != nil { unjudged.append((left, right)) }
        }
        keepWorst()
        if frames.count - reported >= Self.batch { reportFrames() }
        notify(.progress(progress(one.seconds)))
    }

    func finish() throws(TranscodeError) -> ComparisonReport {
        try measuring { () throws(FFmpegError) in for comparison in comparisons { try comparison.finish() } }
        keepWorst()
        reportFrames()
        report.shown = worst.pairs.map(\.place)
        original.finish(&report.original)
        output.finish(&report.output)
        (original.notices + output.notices).forEach { notify(.notice($0)) }
        report.frames = frames.count
        report.metrics = zip(metrics, comparisons).compactMap { metric, comparison in
            comparison.score.mean.flatMap { MetricStatistics(metric, mean: $0, of: frames) }
        }
        if original.isIncomplete || output.isIncomplete { report.outcome = .incompleteSource }
        return report
    }

    /// Takes the values that have become available and keeps the worst frames.
    private func keepWorst() {
        guard let values = judge.map({ comparisons[$0].values }) else { return }
        while values.count > frames.count - unjudged.count, !unjudged.isEmpty {
            let place = frames.count - unjudged.count
            let (frame, pair) = (frames[place], unjudged.removeFirst())
            let found = MetricStatistics.WorstFrame(value: values[place], frame: frame.frame, seconds: frame.seconds)
            worst.note(WorstPictures.Pair(place: found, original: pair.original, output: pair.output))
        }
    }

    /// Reports frames. The filters may hold back the last ones.
    private func reportFrames() {
        let measured = comparisons.map(\.values.count).min() ?? 0
        guard measured > reported else { return }
        for place in reported..<min(measured, frames.count) {
            for (metric, comparison) in zip(metrics, comparisons) {
                frames[place].values[metric] = comparison.values[place]
            }
        }
        notify(.frames(Array(frames[reported..<min(measured, frames.count)])))
        reported = measured
    }

    private func progress(_ seconds: Double) -> Progress {
        Progress(
            phase: .comparing, frames: frames.count, totalFrames: nil, seconds: seconds,
            totalSeconds: original.source.demuxer.duration?.seconds,
            elapsedSeconds: (ContinuousClock.now - start) / .seconds(1), bytes: 0)
    }

    private func measuring(_ body: () throws(FFmpegError) -> Void) throws(TranscodeError) {
        do throws(FFmpegError) { try body() } catch {
            throw TranscodeError(.software, "the pictures cannot be compared: \(error)").caused(by: "\(error)")
        }
    }
}

private typealias ShownPicture = (file: ComparedFile, frame: Frame, orientation: DisplayMatrix.Orientation)

/// Returns a notice if the picture was cropped or got bars, so that no pixel is compared with its own.
private func aspectNotice(original: ShownPicture, output: ShownPicture) -> Notice? {
    let aspects = [original, output].map { picture in
        let sample = picture.frame.sampleAspectRatio.isPositive ? picture.frame.sampleAspectRatio.value : 1
        let size = picture.file.size
        return Double(size.width) / Double(size.height) * (picture.orientation.isTransposed ? 1 / sample : sample)
    }
    guard abs(aspects[0] / aspects[1] - 1) > 0.03 else { return nil }
    return Notice(
        .compareAspect,
        "'\(original.file.path)' is \(original.file.size) and '\(output.file.path)' \(output.file.size): one is "
            + "cropped or has bars, and is stretched onto the other, so the values say little")
}

/// Returns a notice if the same code means another brightness in each file.
private func rangeNotice(_ original: ComparedVideo, _ output: ComparedVideo) -> Notice? {
    let (one, other) = (original.source, output.source)
    guard one.shownColor.rangeName != other.shownColor.rangeName else { return nil }
    return Notice(
        .compareRange,
        "'\(one.path)' is \(one.shownColor.rangeName) and '\(other.path)' \(other.shownColor.rangeName): colors are "
            + "compared as coded, so the values say little")
}

/// The rotation of both files before comparison: to display orientation if they differ, otherwise none.
private struct Turns {
    var original = DisplayMatrix.Orientation.upright
    var output = DisplayMatrix.Orientation.upright

    init(_ one: Source, _ other: Source) {
        let shown = [one, other].map { $0.sample.displayMatrix?.orientation ?? .upright }
        if shown[0] != shown[1] { (original, output) = (shown[0], shown[1]) }
    }

    /// - Throws: if one file is upright and the other rotated by a quarter turn, which would be the only difference
    ///   measured.
    func check(_ original: ComparedFile, _ output: ComparedFile) throws(TranscodeError) {
        let (one, other) = (original.size, output.size)
        let isTurned = (one.width - one.height).signum() * (other.width - other.height).signum() < 0
        let isSame = abs(one.width * other.width - one.height * other.height) * 50 < one.width * other.width
        guard isTurned, isSame else { return }
        throw TranscodeError(
            .compareShape,
            "'\(original.path)' is displayed as \(one) and '\(output.path)' as \(other): one of them is rotated",
            hint: "\(option: .rotate) rotated it; compare with an original in the same orientation")
    }
}

extension ComparedFile {
    fileprivate init(_ video: ComparedVideo, _ first: Frame, _ orientation: DisplayMatrix.Orientation) {
        self.init(
            path: video.source.path, size: orientation.isTransposed ? first.size.transposed : first.size,
            pixelFormat: first.pixelFormat.name)
    }
}

import VTXMedia
import VTXSystem
import VTXTask

/// Runs the transcode once to count bytes, from which the bit rate follows. For x264 and x265 this is also the first
/// pass.
struct RateSearch {
    private let size: Int
    private let prepared: PreparedTranscode
    private let cancellation: Cancellation
    private let report: @Sendable (TranscodeEvent) -> Void

    /// - Parameters:
    ///   - size: The size of the whole output, in bytes.
    ///   - prepared: The transcode at an approximate bit rate.
    init(
        _ size: Int, _ prepared: PreparedTranscode, _ cancellation: Cancellation,
        _ report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        (self.size, self.prepared, self.cancellation, self.report) = (size, prepared, cancellation, report)
    }

    /// - Throws: `.targetUnreachable`, and the errors of the pipeline.
    func find() throws -> SizeSearch {
        let run = DryRun(prepared, cancellation)
        try run.run(report)
        return try search(run)
    }

    private func search(_ run: DryRun) throws(TranscodeError) -> SizeSearch {
        let plan = run.prepared.plan
        guard run.ledger.hasEncoded else { throw .noFrames(of: plan) }
        let streams = run.sink.streams
        let others = streams.filter { $0.key != plan.videoIndex }.reduce(0) { $0 + Int($1.value.bytes) }
        let overhead = ContainerOverhead(container: plan.container).bytes(Array(streams.values))
        let shown = MediaTime(run.ledger.encodedTicks, plan.video.timeBase).seconds + run.ledger.lastDuration
        if let search = SizeSearch(size: size, others: others + overhead, seconds: shown) { return search }
        throw TranscodeError(
            .targetUnreachable,
            "\(option: .targetSize, "\(size)") cannot be reached: audio, subtitles and the container alone take \(others + overhead) bytes",
            hint: "\(option: .audioBitrate), \(option: .audioStreams) and similar options leave more for the video")
    }
}

extension SizeSearch {
    var notice: Notice {
        Notice(
            .rateFound,
            "\(RateChoice.megabits(bitrate)) of video for \(size) bytes: audio, subtitles and the container take \(others)"
        )
    }
}

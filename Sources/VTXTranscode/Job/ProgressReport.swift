import VTXMedia
import VTXSession
import VTXTask

/// Turns the ledger into progress records.
struct ProgressReport: Sendable {
    private let plan: TranscodePlan
    private let start: ContinuousClock.Instant
    private let report: @Sendable (TranscodeEvent) -> Void

    init(
        _ plan: TranscodePlan, since start: ContinuousClock.Instant,
        _ report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        self.plan = plan
        self.start = start
        self.report = report
    }

    func send(_ phase: Progress.Phase, _ ledger: OutputLedger) {
        let timeBase = plan.video.encoder.timeBase
        let origin = ledger.firstTime ?? 0
        let seconds = ledger.lastTime.map { MediaTime($0 - origin, timeBase).seconds } ?? 0
        report(
            .progress(
                Progress(
                    phase: phase, frames: ledger.frameCount, totalFrames: plan.video.expectedFrames, seconds: seconds,
                    totalSeconds: plan.timestamps.expectedSeconds,
                    elapsedSeconds: (ContinuousClock.now - start) / .seconds(1), bytes: ledger.bytes)))
    }
}

import VTXMedia
import VTXSession
import VTXTask

/// Converts the ledger to progress records.
struct ProgressReport: Sendable {
    private let plan: TranscodePlan
    private let start: ContinuousClock.Instant
    private let resume: ResumePoint?
    private let report: @Sendable (TranscodeEvent) -> Void

    init(
        _ plan: TranscodePlan, since start: ContinuousClock.Instant, from resume: ResumePoint? = nil,
        _ report: @escaping @Sendable (TranscodeEvent) -> Void
    ) {
        self.plan = plan
        self.start = start
        self.resume = resume
        self.report = report
    }

    @discardableResult
    func send(_ phase: Progress.Phase, _ ledger: OutputLedger) -> Progress {
        let timeBase = plan.video.timeBase
        let origin = ledger.firstTime ?? 0
        let seconds = MediaTime(ledger.encodedTicks, timeBase).seconds
        let frames = ledger.frameCount
        // The container's duration may be a frame too long.
        let totalFrames = ledger.isComplete ? frames : plan.video.expectedFrames.map { max($0, frames) }
        var progress = Progress(
            phase: phase, frames: frames, totalFrames: totalFrames, seconds: seconds,
            totalSeconds: plan.timestamps.expectedSeconds, elapsedSeconds: (ContinuousClock.now - start) / .seconds(1),
            bytes: ledger.bytes)
        if let resume {
            progress.resumedFrames = resume.frameCount
            progress.resumedSeconds = max(0, resume.last.seconds - MediaTime(origin, timeBase).seconds)
        }
        report(.progress(progress))
        return progress
    }
}

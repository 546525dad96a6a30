import VTXMedia
import VTXSystem
package import VTXTask
import VTXTranscode

extension SelfTestTranscode {
    /// Does it. A driver may crash, or never come back.
    package func run() -> TranscodeReport {
        _ = LibraryMessages.areQuietByDefault
        do throws(TranscodeError) {
            try clip.make()
            return try transcode()
        } catch {
            return TranscodeReport(error)
        }
    }

    private func transcode() throws(TranscodeError) -> TranscodeReport {
        var request = TranscodeRequest(input: clip.input, output: clip.output)
        request.codec = codec
        request.hardware = device == nil ? .off : .require
        request.device = device.map(DeviceSelector.path) ?? .auto
        let facts = Locked(TranscodeReport())
        let result = try Transcoder.run(request, cancellation: Cancellation()) { event in
            guard case .planned(let plan) = event else { return }
            facts.withLock { $0.note(plan) }
        }
        let psnr = try clip.compare()
        return facts.withLock { $0.completed(result, psnr: psnr) }
    }
}

extension TranscodeReport {
    fileprivate mutating func note(_ plan: TranscodePlan) {
        device = plan.video.deviceName
        decisions = plan.decisions.map { "\($0.subject): \($0.choice) (\($0.reason))" }
        notices = plan.notices.map(\.message)
    }

    fileprivate func completed(_ result: TranscodeResult, psnr: Double?) -> TranscodeReport {
        var report = self
        report.isComplete = result.outcome == .completed
        report.frames = result.frames
        report.elapsedSeconds = result.elapsedSeconds
        report.psnr = psnr
        report.notices += result.notices.map(\.message).filter { !report.notices.contains($0) }
        return report
    }
}

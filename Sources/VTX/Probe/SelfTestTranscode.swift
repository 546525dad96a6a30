package import VTXMedia
package import VTXTask
package import VTXTranscode
import VTXSystem

/// A short clip through the whole of vtx: made, transcoded, checked, thrown away.
package struct SelfTestTranscode: Sendable, Hashable, Codable {
    /// A render node; nil for software.
    package var device: String?
    package var codec: VideoCodec

    package var clip: TestTranscodeClip

    package init(_ clip: TestTranscodeClip, device: String?, codec: VideoCodec) {
        self.clip = clip
        self.device = device
        self.codec = codec
    }

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

/// What came of it.
package struct TranscodeReport: Sendable, Hashable, Codable {
    /// The output is whole.
    package var isComplete = true
    /// nil where it went well.
    package var error: Message?
    package var device: String?
    package var frames: Int?
    package var elapsedSeconds: Double?
    /// In dB, of the worst plane.
    package var psnr: Double?
    package var decisions: [Message] = []
    /// What vtx had to say on the way: fallbacks, compromises.
    package var notices: [Message] = []

    package init() {}

    package init(_ error: TranscodeError) {
        isComplete = false
        self.error = error.message
    }

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

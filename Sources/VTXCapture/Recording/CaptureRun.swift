import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A running recording: one thread reads the camera, the caller's thread encodes and writes.
struct CaptureRun {
    private let request: CaptureRequest
    private let reader: CaptureReader
    private let decoder: CaptureDecoder
    private let recorder: CaptureRecorder
    private let cancellation: Cancellation
    private let report: @Sendable (WorkerEvent) -> Void
    private let start = MonotonicClock.seconds
    private var lastReport = 0.0
    private var drops: DroppedFrameReport

    init(
        _ request: CaptureRequest, _ source: any CaptureSource, _ decoder: CaptureDecoder,
        _ recorder: CaptureRecorder,
        _ cancellation: Cancellation, _ report: @escaping @Sendable (WorkerEvent) -> Void
    ) {
        self.request = request
        self.decoder = decoder
        self.recorder = recorder
        self.cancellation = cancellation
        self.report = report
        drops = DroppedFrameReport("the encoder is", source.format.frameRate, takesSize: request.takesSize)
        reader = CaptureReader(
            source, duration: request.duration, onAudio: { [recorder] in try? recorder.hand(audio: $0) })
    }

    consuming func run() throws(TranscodeError) -> TranscodeResult {
        let thread: Thread
        do throws(SystemError) { thread = try Thread("vtx.camera") { [reader] in reader.run() } } catch {
            recorder.abandon()
            throw TranscodeError(.system, "the camera's thread cannot be started: \(error)")
        }
        cancellation.onCancel { [reader] in reader.stop() }
        do throws(TranscodeError) { try record() } catch {
            reader.abandon()
            thread.join()
            recorder.abandon()
            throw error
        }
        thread.join()
        var failure: TranscodeError?
        do throws(TranscodeError) { try recorder.finish() } catch { failure = error }
        return try result(failure)
    }

    private mutating func record() throws(TranscodeError) {
        while let item = reader.next() {
            let count = reader.losses.dropped
            let notice = drops.notice(droppedCount: count, at: item.ticks, takesH264: recorder.couldBeH264)
            if let notice { report(.transcode(.notice(notice))) }
            try record(decoder.frames(of: item))
        }
        try record(decoder.finish())
    }

    private mutating func record(_ frames: [Frame]) throws(TranscodeError) {
        for frame in frames {
            recorder.beginning = reader.beginning
            try recorder.record(frame)
            reportProgress()
        }
    }

    private mutating func reportProgress() {
        let elapsed = MonotonicClock.seconds - start
        guard elapsed - lastReport >= 0.25 else { return }
        lastReport = elapsed
        var progress = Progress(
            phase: .transcoding, frames: recorder.frameCount, totalFrames: nil, seconds: recorder.seconds,
            totalSeconds: request.duration, elapsedSeconds: elapsed, bytes: recorder.byteCount)
        progress.latencySeconds = recorder.latency
        report(.transcode(.progress(progress)))
    }

    /// - Parameter outputFailure: The error of the first incomplete output.
    /// - Throws: why the camera failed, or an output is incomplete.
    private func result(_ outputFailure: TranscodeError?) throws(TranscodeError) -> TranscodeResult {
        let notices = lossNotices
        if let failure = reader.failure ?? outputFailure {
            notices.forEach { report(.transcode(.notice($0))) }
            throw failure.with(frames: recorder.frameCount, in: recorder.wholeOutputs)
        }
        if recorder.frameCount == 0, let reason = cancellation.reason {
            throw .beforeFirstPicture(reason)
        }
        guard recorder.frameCount > 0 else {
            throw TranscodeError(.cameraFailed, "'\(request.sourceName)' delivered no complete frame")
        }
        var result = TranscodeResult(
            outcome: .completed, output: request.outputs[0], frames: recorder.frameCount, seconds: recorder.seconds,
            bytes: recorder.byteCount, elapsedSeconds: MonotonicClock.seconds - start, notices: notices)
        result.latencySeconds = recorder.latency
        return result
    }

    /// What is missing in the outputs, by its cause.
    private var lossNotices: [Notice] {
        var notices: [Notice] = []
        let losses = reader.losses
        if losses.missing + losses.dropped > 0 { notices.append(Notice(.captureDropped, losses.droppedText)) }
        let damaged = losses.damaged + decoder.damagedCount
        if damaged > 0 {
            notices.append(
                Notice(.captureDamaged, "dropped frames that were damaged or could not be decoded: \(damaged)"))
        }
        return notices
            + recorder.skipped.map { name, count in
                Notice(.captureSkipped, "frames missing in \(StandardStream.output(name)): \(count)")
            }
    }
}

extension CaptureLosses {
    fileprivate var droppedText: Message {
        let camera: Message = "the camera dropped \(missing)"
        let encoder: Message = "the encoder was too slow for \(dropped)"
        return "frames are missing: " + (dropped == 0 ? camera : missing == 0 ? encoder : camera + ", and " + encoder)
    }
}

extension TranscodeError {
    /// Adds what has been recorded nevertheless.
    fileprivate func with(frames: Int, in outputs: [String]) -> TranscodeError {
        var error = self
        if frames == 0 {
            error.message = message + "; nothing was recorded"
        } else if !outputs.isEmpty {
            let count: Message = frames == 1 ? "1 frame is" : "\(frames) frames are"
            error.message = message + "; \(count) in \(Self.list(outputs))"
        }
        return error
    }

    private static func list(_ names: [String]) -> String { names.map(StandardStream.output).joined(separator: ", ") }
}

import VTXCapture
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The threads of a capture session: one reads the camera, the other serves the outputs. Both end by themselves after a
/// stop.
final class CaptureCore: Sendable {
    let ending = CaptureEnding()
    private let source: any CaptureSource
    private let reader: CaptureReader
    private let reports: AsyncStream<CaptureEvent>.Continuation
    /// The outputs that take audio.
    private let recorders: Locked<[CaptureRecorder]>

    var format: CaptureFormat { source.format }

    /// Opens the devices to record from.
    init(
        _ request: CaptureRequest, _ reports: AsyncStream<CaptureEvent>.Continuation
    ) throws(TranscodeError) {
        let recorders = Locked<[CaptureRecorder]>([])
        source = try request.openCameraAndMicrophone { reports.yield($0.event) }
        reader = CaptureReader(source, duration: nil) { packet in
            for recorder in recorders.withLock(\.self) { try? recorder.hand(audio: packet) }
        }
        (self.reports, self.recorders) = (reports, recorders)
    }

    func stop() { reader.stop() }

    /// Releases a session that never runs.
    func abandon() { end(.success(CaptureStatistics()), CaptureStatistics()) }

    func start(_ outputs: [CaptureOutput]) throws(TranscodeError) {
        do throws(TranscodeError) {
            let decoder = try CaptureDecoder(source.format)
            let sinks = try CaptureSink.open(outputs, source) { [reports] in reports.yield($0.event) }
            recorders.withLock { $0 = sinks.compactMap(\.recorder) }
            let reading = try thread("vtx.camera") { [reader] in reader.run() }
            do throws(TranscodeError) {
                try thread("vtx.capture") { [self] in serve(sinks, decoder, reading) }.detach()
            } catch {
                reader.stop()
                reading.join()
                throw error
            }
        } catch {
            end(.failure(CaptureError(error)), CaptureStatistics())
            throw error
        }
    }

    private func thread(_ name: String, _ body: @escaping @Sendable () -> Void) throws(TranscodeError) -> Thread {
        do throws(SystemError) { return try Thread(name, body) } catch {
            throw TranscodeError(.system, "the camera's thread cannot be started: \(error)")
        }
    }

    /// The thread that serves the outputs.
    private func serve(_ sinks: [CaptureSink], _ decoder: CaptureDecoder, _ reading: Thread) {
        var statistics = CaptureStatistics()
        var drops = DroppedFrameReport("the session's outputs are", source.format.frameRate, takesSize: true)
        while let item = reader.next() {
            let couldBeH264 = sinks.contains { $0.recorder?.couldBeH264 == true }
            let notice = drops.notice(droppedCount: reader.losses.dropped, at: item.ticks, takesH264: couldBeH264)
            if let notice { reports.yield(notice.event) }
            give(decoder.frames(of: item), to: sinks, &statistics)
        }
        give(decoder.finish(), to: sinks, &statistics)
        reading.join()
        for sink in sinks { report(sink, sink.finish()) }
        statistics.latencySeconds = sinks.compactMap { $0.recorder?.latency }.max()
        let losses = reader.losses
        (statistics.missingCount, statistics.droppedCount) = (losses.missing, losses.dropped)
        statistics.damagedCount = losses.damaged + decoder.damagedCount
        let failure = reader.failure.map(CaptureError.init)
        if let failure { reports.yield(.failed(failure)) }
        let first = failure ?? sinks.lazy.compactMap(\.failure).first
        end(first.map { .failure($0) } ?? .success(statistics), statistics)
    }

    private func give(_ frames: [Frame], to sinks: [CaptureSink], _ statistics: inout CaptureStatistics) {
        for frame in frames {
            if statistics.frameCount == 0 { reports.yield(.started) }
            statistics.frameCount += 1
            for sink in sinks {
                sink.recorder?.beginning = reader.beginning
                report(sink, sink.take(frame))
            }
        }
    }

    private func report(_ sink: CaptureSink, _ failure: CaptureError?) {
        if let failure { reports.yield(.outputFailed(output: sink.index, failure)) }
    }

    private func end(_ result: Result<CaptureStatistics, CaptureError>, _ statistics: CaptureStatistics) {
        ending.set(result)
        reports.yield(.stopped(statistics))
        reports.finish()
    }
}

extension Notice {
    fileprivate var event: CaptureEvent { .notice(code: code, message: "\(message)") }
}

/// The result of a session, for those that wait for it.
final class CaptureEnding: Sendable {
    private struct State {
        var result: Result<CaptureStatistics, CaptureError>?
        var waiting: [CheckedContinuation<Result<CaptureStatistics, CaptureError>, Never>] = []
    }

    private let state = Locked(State())

    /// Sets the result. Only the first one counts.
    func set(_ result: Result<CaptureStatistics, CaptureError>) {
        let waiting = state.withLock { state in
            guard state.result == nil else {
                return [CheckedContinuation<Result<CaptureStatistics, CaptureError>, Never>]()
            }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    var value: CaptureStatistics {
        get async throws(CaptureError) {
            let result = await withCheckedContinuation { continuation in
                let known = state.withLock { state in
                    if state.result == nil { state.waiting.append(continuation) }
                    return state.result
                }
                if let known { continuation.resume(returning: known) }
            }
            return try result.get()
        }
    }
}

import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A destination for packets. One thread at a time calls it.
protocol CapturePacketSink: AnyObject, Sendable {
    var byteCount: Int64 { get }
    /// The number of frames that it did not write.
    var skippedCount: Int { get }

    /// Whether packets are being written. While an output connects, they wait for another reason than its speed.
    var isConnected: Bool { get }

    /// - Throws: why it cannot continue.
    func write(_ packet: CapturePacket) throws(TranscodeError)

    /// Completes the output.
    func finish() throws(TranscodeError)

    /// Stops waiting for the network, because no more packets follow. Any thread may call it.
    func limitWaiting()
}

extension CapturePacketSink {
    var isConnected: Bool { true }
}

/// A thread that writes an output, so that the encoder does not wait for it.
final class CaptureWriter: Sendable {
    let name: String
    private let target: any CapturePacketSink
    private let queue: CapturePacketQueue
    private let state = Locked(State())

    private struct State {
        var thread: Thread?
        var failure: TranscodeError?
        var byteCount: Int64 = 0
        var skippedCount = 0
        var latency = LatencyMeter()
    }

    /// - Parameter report: Called immediately with an error, which ends the output.
    init(
        _ name: String, _ target: any CapturePacketSink, _ bounds: CapturePacketQueue.Bounds,
        report: @escaping @Sendable (TranscodeError) -> Void = { _ in }
    ) throws(TranscodeError) {
        (self.name, self.target) = (name, target)
        queue = CapturePacketQueue(bounds)
        do throws(SystemError) {
            let thread = try Thread("vtx.output") { [self] in run(report) }
            state.withLock { $0.thread = thread }
        } catch { throw TranscodeError(.system, "an output's thread cannot be started: \(error)") }
    }

    var failure: TranscodeError? { state.withLock { $0.failure } }
    var byteCount: Int64 { state.withLock { $0.byteCount } }
    /// The number of frames missing in the output.
    var skippedCount: Int { queue.droppedCount + state.withLock { $0.skippedCount } }

    /// The maximum time from the capture of a frame to its output, in the last second, in seconds.
    var latency: Double? { state.withLock { $0.latency.maximum } }

    /// Whether the output is a live one.
    var isLive: Bool { queue.bounds == .live }
    /// The duration of the video that a connected output has not sent yet, in seconds.
    var backlogSeconds: Double { target.isConnected ? queue.seconds : 0 }

    /// Adds a packet without blocking.
    func put(_ packet: CapturePacket) { if failure == nil { queue.put(packet) } }

    /// Ends the output. Queued packets are still written.
    func end() {
        queue.end()
        target.limitWaiting()
    }

    /// Waits until the output is complete or has failed.
    func join() {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    private func run(_ report: @Sendable (TranscodeError) -> Void) {
        // A reader that closes a pipe ends this output, not the program.
        Signals.block(SIGPIPE)
        do throws(TranscodeError) {
            while let packet = queue.next() {
                try target.write(packet)
                note()
                noteLatency(packet)
            }
        } catch {
            try? target.finish()
            return fail(error, report)
        }
        do throws(TranscodeError) { try target.finish() } catch { fail(error, report) }
        note()
    }

    private func note() {
        let (bytes, skipped) = (target.byteCount, target.skippedCount)
        state.withLock { ($0.byteCount, $0.skippedCount) = (bytes, skipped) }
    }

    private func noteLatency(_ packet: CapturePacket) {
        guard let captured = packet.captureTime, target.isConnected else { return }
        state.withLock { $0.latency.note(captured: captured, now: MonotonicClock.seconds) }
    }

    private func fail(_ error: TranscodeError, _ report: @Sendable (TranscodeError) -> Void) {
        note()
        queue.end()
        state.withLock { $0.failure = error }
        report(error)
    }
}

/// The maximum latency of the frames of the last second. Pure: no clock in it.
struct LatencyMeter: Sendable {
    /// In seconds.
    private static let window = 1.0
    private var samples: [(time: Double, latency: Double)] = []

    /// Adds a frame that has just been written.
    ///
    /// - Parameters:
    ///   - captured: The time of its capture, in seconds.
    ///   - now: The current time, on the same clock.
    mutating func note(captured: Double, now: Double) {
        samples.removeAll { $0.time <= now - Self.window }
        samples.append((now, max(0, now - captured)))
    }

    /// In seconds; nil before the first frame.
    var maximum: Double? { samples.map(\.latency).max() }
}

import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// What writes packets. One thread at a time calls it.
protocol CaptureTarget: AnyObject, Sendable {
    var byteCount: Int64 { get }
    /// Frames that it did not write.
    var skippedCount: Int { get }

    /// - Throws: why nothing more can be written.
    func write(_ packet: CapturePacket) throws(TranscodeError)

    /// Ends what was written.
    func finish() throws(TranscodeError)

    /// Nothing more comes: what waits for the network waits no longer. Any thread calls it.
    func hurry()
}

/// A thread that writes an output: the encoder does not wait for it.
final class CaptureWriter: Sendable {
    let name: String
    private let target: any CaptureTarget
    private let queue: CapturePacketQueue
    private let state = Locked(State())

    private struct State {
        var thread: Thread?
        var failure: TranscodeError?
        var byteCount: Int64 = 0
        var skippedCount = 0
    }

    /// - Parameter report: hears at once of an error, with which the output has ended.
    init(
        _ name: String, _ target: any CaptureTarget, _ bounds: CapturePacketQueue.Bounds,
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
    /// Frames that are not in the output.
    var skippedCount: Int { queue.droppedCount + state.withLock { $0.skippedCount } }

    /// Never waits.
    func put(_ packet: CapturePacket) { if failure == nil { queue.put(packet) } }

    /// Nothing more comes. What waits is written meanwhile.
    func end() {
        queue.end()
        target.hurry()
    }

    /// Returns when the output is whole, or has failed.
    func join() {
        let thread = state.withLock { state in
            defer { state.thread = nil }
            return state.thread
        }
        thread?.join()
    }

    private func run(_ report: @Sendable (TranscodeError) -> Void) {
        do throws(TranscodeError) {
            while let packet = queue.next() {
                try target.write(packet)
                note()
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

    private func fail(_ error: TranscodeError, _ report: @Sendable (TranscodeError) -> Void) {
        note()
        queue.end()
        state.withLock { $0.failure = error }
        report(error)
    }
}

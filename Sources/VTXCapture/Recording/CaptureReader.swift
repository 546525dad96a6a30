package import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

/// A thread that reads frames from a camera and never waits for the encoder. If its queue is full, a new frame replaces
/// the oldest one.
package final class CaptureReader: Sendable {
    /// The size of the queue.
    static let queueCapacity = 8
    /// The interval for checking whether to stop, in seconds.
    private static let step = 0.1

    package struct Item: Sendable {
        package var picture: CapturedPicture
        /// The time in ticks of `CaptureTimeline.timeBase`.
        package var ticks: Int64
        /// The index among all frames of the camera, including lost ones.
        var index = 0
    }

    private let source: any CaptureSource
    private let now: @Sendable () -> Double
    private let onAudio: @Sendable (Packet) -> Void
    private let duration: Double?
    private let queue = BoundedQueue<Item>(capacity: CaptureReader.queueCapacity)
    private let state: Locked<State>

    private struct State {
        var timeline: CaptureTimeline
        var losses = CaptureLosses()
        /// The number of frames of the camera, including lost ones.
        var pictureCount = 0
        var failure: TranscodeError?
        var isStopped = false
        /// Audio before the first frame.
        var early: [Packet] = []
    }

    /// About ten seconds.
    private static let earlyLimit = 512

    /// - Parameters:
    ///   - onAudio: Called on the reader's thread with audio, whose timestamps are relative to the first frame.
    ///   - now: The time in seconds, on a monotonic clock.
    package init(
        _ source: any CaptureSource, duration: Double?, onAudio: @escaping @Sendable (Packet) -> Void = { _ in },
        now: @escaping @Sendable () -> Double = { MonotonicClock.seconds }
    ) {
        self.source = source
        self.now = now
        self.onAudio = onAudio
        self.duration = duration
        let timeline = CaptureTimeline(duration: duration, frameRate: source.format.frameRate)
        state = Locked(State(timeline: timeline))
    }

    /// Why reading failed; nil if it did not.
    package var failure: TranscodeError? { state.withLock { $0.failure } }
    /// The time of the first frame, in seconds on the monotonic clock; nil before it.
    package var beginning: Double? { state.withLock { $0.timeline.first?.seconds } }
    package var losses: CaptureLosses { state.withLock { $0.losses } }

    /// Stops reading, after what the source received before. Queued frames can still be taken.
    package func stop() {
        state.withLock { $0.isStopped = true }
        source.stop()
    }

    /// Discards all frames.
    package func abandon() {
        stop()
        queue.cancel()
    }

    /// Returns the next frame; nil at the end.
    package func next() -> Item? { try? queue.pop() }

    /// Reads until it is stopped, the duration is reached, or the source ends.
    package func run() {
        defer { queue.finish() }
        defer { finishAudio() }
        do throws(TranscodeError) {
            try source.start()
            state.withLock { $0.timeline.start(at: now()) }
            while try step() {}
        } catch {
            // An error caused by stopping is ignored.
            state.withLock { state in if !state.isStopped || !source.watchesItself { state.failure = error } }
        }
    }

    /// - Returns: false at the end.
    private func step() throws(TranscodeError) -> Bool {
        guard !state.withLock(\.isStopped) || source.drains && !source.hasEnded else { return false }
        let picture = try source.next(within: Self.step)
        defer { takeAudio() }
        let time = now()
        guard let picture else {
            let timeline = state.withLock { $0.timeline }
            guard !timeline.hasEnded(at: time), !source.hasEnded else { return false }
            guard source.watchesItself || !timeline.hasStalled(at: time) else { throw .stalled(for: timeline.timeout) }
            return true
        }
        let (index, isStopped) = state.withLock { state in
            state.losses.missing += picture.missingCount
            state.pictureCount += picture.missingCount + 1
            return (state.pictureCount - 1, state.isStopped)
        }
        if case .damaged = picture.content { return skipDamage(at: time) }
        let (decision, timeline) = state.withLock { ($0.timeline.decide(picture.time, now: time), $0.timeline) }
        if index == 0, let duration { source.limitWaiting(to: duration) }
        let isAhead = picture.time.seconds > time || timeline.isBurst(at: time)
        let mayWait = source.waitsForEncoder || isStopped || source.isBuffered && isAhead
        return take(picture, decision, index, mayWait: mayWait)
    }

    /// The time of a damaged frame says nothing about the next one.
    ///
    /// - Returns: false at the end.
    private func skipDamage(at time: Double) -> Bool {
        state.withLock { state in
            state.losses.damaged += 1
            state.timeline.noteArrival(at: time)
            return !state.timeline.hasEnded(at: time)
        }
    }

    private func finishAudio() {
        guard let end = state.withLock({ $0.timeline.end }) else { return }
        source.finishAudio(at: end)
        takeAudio()
    }

    /// Forwards audio, except before the first frame and after the end.
    private func takeAudio() {
        let packets = source.takeAudio()
        guard !packets.isEmpty else { return }
        let (all, timeline) = state.withLock { state in
            state.early += packets
            guard state.timeline.first != nil else {
                state.early.removeFirst(max(0, state.early.count - Self.earlyLimit))
                return ([Packet](), state.timeline)
            }
            defer { state.early = [] }
            return (state.early, state.timeline)
        }
        for packet in all where timeline.shift(packet) { onAudio(packet) }
    }

    /// - Parameter mayWait: Whether it may wait for room.
    private func take(
        _ picture: CapturedPicture, _ decision: CaptureTimeline.Decision, _ index: Int, mayWait: Bool
    ) -> Bool {
        switch decision {
        case .end: return false
        case .leaveOut: state.withLock { $0.losses.damaged += 1 }
        case .record(let ticks):
            let item = Item(picture: picture, ticks: ticks, index: index)
            if mayWait { return (try? queue.push(item)) != nil }
            let replaced = try? queue.pushReplacingOldest(item)
            if replaced ?? nil != nil { state.withLock { $0.losses.dropped += 1 } }
        }
        return true
    }
}

extension TranscodeError {
    fileprivate static func stalled(for seconds: Double) -> TranscodeError {
        TranscodeError(
            .cameraTimeout, "no frame has arrived for \(Int(seconds)) s",
            hint: "another program may have changed the camera's settings, or its cable is loose")
    }
}

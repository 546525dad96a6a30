import VTXSystem
import VTXTask

/// One worker under a supervisor's eyes.
struct WorkerWatch: ~Copyable {
    enum Decision {
        case restart
        case finish(Supervision.Outcome)

        var outcome: Supervision.Outcome? { if case .finish(let outcome) = self { outcome } else { nil } }
    }

    private var worker: WorkerProcess
    private let tickSeconds: Double
    private var stopwatch: Stopwatch
    private var meter: ProcessActivityMeter
    private var partial: PartialFile?
    private var ending: ProcessEnding?
    /// Time that has not been told yet.
    private var untold = 0.0

    /// - Parameter timeout: how often to look follows from it.
    init(_ worker: consuming WorkerProcess, timeout: Double?) {
        tickSeconds = min(1, max(0.01, (timeout ?? 5) / 5))
        // A step that took longer is one in which this process did not run.
        stopwatch = Stopwatch(longestStep: 2 * tickSeconds)
        meter = ProcessActivityMeter(worker.identifier)
        self.worker = worker
    }

    /// Lets things happen until the worker is gone.
    mutating func untilDecided(
        _ state: inout Supervision, _ stops: inout some StopRequests, _ listener: any WorkerListener
    ) -> Decision {
        while true {
            for event in nextEvents(state, &stops) {
                if case .report(let report) = event, !listener.report(report) {
                    worker.kill()
                    return .finish(.success(.done))
                }
                switch state.handle(event) {
                case .wait: break
                case .cancel(let reason):
                    listener.stopping()
                    worker.cancel(reason)
                case .kill: worker.kill()
                case .giveUpWaiting: ending = .stuck
                case .restart: return .restart
                case .finish(let outcome): return .finish(outcome)
                }
            }
        }
    }

    /// What a worker wrote and did not finish goes; what has the output's name stays.
    func removeLeftovers(_ decision: Decision) {
        if case .finish(.success) = decision { return }
        partial?.remove(isAbandoned: worker.ending == nil)
    }

    private mutating func nextEvents(
        _ state: Supervision, _ stops: inout some StopRequests
    ) -> [Supervision.Event] {
        let sources = [worker.readable, stops.number].compactMap(\.self).map(Poll.Event.readable)
        // Once the pipe is closed nothing tells of the end any more, and it is near.
        Poll.wait(for: sources, seconds: worker.readable == nil ? min(tickSeconds, 0.01) : tickSeconds)
        // The end first, then what was reported before it: nothing can follow.
        let ending = worker.reap() ?? ending
        var events = worker.receive().map { report in
            note(report)
            return Supervision.Event.report(report)
        }
        events += stops.receive().map { .stop($0) }
        if let ending { return events + [.ended(ending, isInPlace: partial?.isInPlace ?? false)] }
        return events + tick(state)
    }

    private mutating func note(_ event: WorkerEvent) {
        switch event {
        case .writing(let output): partial = PartialFile(of: output)
        case .transcode(.progress): partial?.look()
        default: break
        }
    }

    /// Time is told once a tick, not with every event.
    private mutating func tick(_ state: Supervision) -> [Supervision.Event] {
        untold += stopwatch.lap()
        guard untold >= tickSeconds else { return [] }
        defer { untold = 0 }
        return [.tick(seconds: untold, state.isWatching ? meter.measure(seconds: untold) : .idle)]
    }
}

/// Counts the time without a sign of life.
struct Watchdog: Sendable {
    /// Seconds as a clock has them.
    private(set) var silence = 0.0
    /// Seconds as they count.
    private var weighed = 0.0

    mutating func signOfLife() { self = Watchdog() }

    /// - Parameter limit: seconds; nil for any time.
    /// - Returns: whether the limit has been reached.
    mutating func hasExpired(after seconds: Double, of activity: ProcessActivity, limit: Double?) -> Bool {
        guard let limit else { return false }
        silence += seconds
        weighed += seconds * activity.weight
        return weighed >= limit
    }
}

extension ProcessActivity {
    /// What a second of it counts. A process that computes gets ten times as long: a frame of 8K in software, or
    /// decoding up to a distant start, takes its time.
    fileprivate var weight: Double {
        switch self {
        case .idle: 1
        case .busy: 0.1
        case .waiting: 0
        }
    }
}

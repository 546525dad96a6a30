package import VTXSystem
package import VTXTask

/// A source of stop requests: a signal, or a client.
package protocol StopRequests {
    /// A descriptor that becomes readable with a request.
    var number: Int32 { get }
    /// Returns the pending requests without waiting.
    mutating func receive() -> [Cancellation.Reason]
}

/// Receives a task's events, on the thread that runs the supervisor.
package protocol WorkerListener: AnyObject {
    /// - Returns: false to stop.
    func report(_ event: WorkerEvent) -> Bool
    /// The task is stopping.
    func stopping()
    /// A GPU's driver has killed the worker.
    /// - Parameter continues: Whether another worker restarts the task.
    func failed(_ failure: DriverFailure, continues: Bool)
}

extension WorkerListener {
    package func stopping() {}
    package func failed(_: DriverFailure, continues: Bool) {}
}

/// Runs workers, one after another, until one of them returns a result. `Supervision` decides; this executes its
/// decisions on the calling thread.
package struct Supervisor: Sendable {
    package var launch: Launch
    package var policy: Supervision.Policy
    /// The timeout for an inactive driver, in seconds; nil for none.
    package var timeout: Double?

    package init(_ launch: Launch, _ policy: Supervision.Policy, timeout: Double?) {
        self.launch = launch
        self.policy = policy
        self.timeout = timeout
    }

    /// - Returns: the last event, or why there is none.
    /// - Throws: if a worker cannot be started.
    package func run(
        _ order: WorkerOrder, _ stops: inout some StopRequests, _ listener: any WorkerListener
    ) throws(SystemError) -> Supervision.Outcome {
        var order = order
        var state = Supervision(policy, timeout: timeout)
        while true {
            var watch = WorkerWatch(try WorkerProcess(launch, order), timeout: timeout)
            let decision = watch.untilDecided(&state, &stops, listener)
            watch.removeLeftovers(decision)
            let isOver = decision.outcome != nil
            for failure in state.driverFailures.dropFirst(order.driverFailures.count) {
                listener.failed(failure, continues: !isOver)
            }
            order.driverFailures = state.driverFailures
            if let outcome = decision.outcome { return outcome }
        }
    }
}

/// Watches one worker for its supervisor.
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
    /// Seconds that have not been reported yet.
    private var unreported = 0.0

    /// - Parameter timeout: Determines the polling interval.
    init(_ worker: consuming WorkerProcess, timeout: Double?) {
        tickSeconds = min(1, max(0.01, (timeout ?? 5) / 5))
        // A longer step is one in which this process was suspended.
        stopwatch = Stopwatch(longestStep: 2 * tickSeconds)
        meter = ProcessActivityMeter(worker.identifier)
        self.worker = worker
    }

    /// Forwards events until the worker has exited or must be replaced.
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

    /// Removes a worker's partial files, but not files with the output's name.
    func removeLeftovers(_ decision: Decision) {
        if case .finish(.success) = decision { return }
        partial?.remove(isAbandoned: worker.ending == nil)
    }

    private mutating func nextEvents(
        _ state: Supervision, _ stops: inout some StopRequests
    ) -> [Supervision.Event] {
        let sources = [worker.readable, stops.number].compactMap(\.self).map(Poll.Event.readable)
        // Once the pipe is closed, no descriptor signals the exit, which is imminent.
        Poll.wait(for: sources, seconds: worker.readable == nil ? min(tickSeconds, 0.01) : tickSeconds)
        // Check for the exit before reading the last events, so that none is missed.
        let ending = worker.reap() ?? ending
        var events = worker.receive().map { report in
            note(report)
            return Supervision.Event.report(report)
        }
        events += stops.receive().map { .stop($0) }
        if let ending { return events + [.ended(ending, finished: partial?.finishedByteCount)] }
        return events + tick(state)
    }

    private mutating func note(_ event: WorkerEvent) {
        switch event {
        case .writing(let output): partial = PartialFile(of: output)
        case .transcode(.progress): partial?.look()
        default: break
        }
    }

    /// Reports time once per tick, not with every event.
    private mutating func tick(_ state: Supervision) -> [Supervision.Event] {
        unreported += stopwatch.lap()
        guard unreported >= tickSeconds else { return [] }
        defer { unreported = 0 }
        return [.tick(seconds: unreported, state.isWatching ? meter.measure(seconds: unreported) : .idle)]
    }
}

/// Measures the time without activity.
struct Watchdog: Sendable {
    /// Elapsed seconds.
    private(set) var silence = 0.0
    /// Weighted seconds.
    private var weighed = 0.0

    mutating func signOfLife() { self = Watchdog() }

    /// - Parameter limit: Seconds; nil for no limit.
    /// - Returns: whether the limit has been reached.
    mutating func hasExpired(after seconds: Double, of activity: ProcessActivity, limit: Double?) -> Bool {
        guard let limit else { return false }
        silence += seconds
        weighed += seconds * activity.weight
        return weighed >= limit
    }
}

extension ProcessActivity {
    /// The weight of a second of this activity. A process that computes gets ten times as long, because an 8K frame in
    /// software, or decoding up to a distant start, takes long.
    fileprivate var weight: Double {
        switch self {
        case .idle: 1
        case .busy: 0.1
        case .waiting: 0
        }
    }
}

package import VTXSystem
package import VTXTask

/// Where the request to stop comes from: a signal, a request.
package protocol StopRequests {
    /// A descriptor that can be read when there is one.
    var number: Int32 { get }
    /// Those that have come; never waits.
    mutating func receive() -> [Cancellation.Reason]
}

/// What the owner of a task hears. Calls come from the thread that runs the supervisor.
package protocol WorkerListener: AnyObject {
    /// - Returns: false where nothing more is wanted.
    func report(_ event: WorkerEvent) -> Bool
    /// The work has begun to stop.
    func stopping()
    /// The worker has died of a GPU's driver.
    /// - Parameter continues: another one begins the task again.
    func failed(_ failure: DriverFailure, continues: Bool)
}

extension WorkerListener {
    package func stopping() {}
    package func failed(_: DriverFailure, continues: Bool) {}
}

/// Runs workers, one after the other, until one of them has an answer. `Supervision` decides; this carries it out, on
/// the thread that calls it.
package struct Supervisor: Sendable {
    package var launch: Launch
    package var policy: Supervision.Policy
    /// Seconds that a driver may do nothing; nil for any time.
    package var timeout: Double?

    package init(_ launch: Launch, _ policy: Supervision.Policy, timeout: Double?) {
        self.launch = launch
        self.policy = policy
        self.timeout = timeout
    }

    /// - Returns: the last event, or why there is none.
    /// - Throws: where a worker cannot be started.
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

    /// - Parameter timeout: how often to look follows from it.
    init(_ worker: consuming WorkerProcess, timeout: Double?) {
        tickSeconds = min(1, max(0.01, (timeout ?? 5) / 5))
        // A step that took longer is one in which this process did not run.
        stopwatch = Stopwatch(longestStep: 2 * tickSeconds)
        meter = ProcessActivityMeter(worker.identifier)
        self.worker = worker
    }

    /// Passes events on until the worker is gone or has to be replaced.
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
        // Once the pipe is closed, no descriptor signals the end, and it is near.
        Poll.wait(for: sources, seconds: worker.readable == nil ? min(tickSeconds, 0.01) : tickSeconds)
        // The end is looked for before the last reports are read: nothing follows them.
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

    /// Time is reported once a tick, not with every event.
    private mutating func tick(_ state: Supervision) -> [Supervision.Event] {
        unreported += stopwatch.lap()
        guard unreported >= tickSeconds else { return [] }
        defer { unreported = 0 }
        return [.tick(seconds: unreported, state.isWatching ? meter.measure(seconds: unreported) : .idle)]
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

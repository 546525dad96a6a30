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

import Glibc

extension WorkerProcess {
    /// How a child that had a limit ended.
    enum Outcome: Sendable, Hashable {
        case ended(ProcessEnding)
        case timedOut
    }

    /// Runs a child to its end, for at most so many seconds.
    ///
    /// For work that may bring the process down, such as asking a driver what it can do: a crash is an answer then.
    /// - Returns: what the child wrote into its pipe, and how it ended.
    static func run(
        _ launch: WorkerLaunch, seconds: Double
    ) throws(SystemError) -> (reports: [UInt8], outcome: Outcome) {
        let worker = try WorkerProcess(launch)
        var reports: [UInt8] = []
        var stopwatch = Stopwatch(longestStep: 1)
        var left = seconds
        while worker.reap() == nil {
            guard left > 0 else { return (reports, worker.breakOff()) }
            Wait.until(readable: [worker.reports], seconds: worker.patience(min(left, 0.5)))
            reports += worker.readReports()
            left -= stopwatch.lap()
        }
        reports += worker.readReports()
        return (reports, worker.ending.map { .ended($0) } ?? .timedOut)
    }

    /// Once the pipe is closed nothing tells of the end any more, and it is near.
    func patience(_ seconds: Double) -> Double { reports < 0 ? min(seconds, 0.01) : seconds }

    private func breakOff() -> Outcome {
        kill()
        // A kernel that does not let go of it must not keep this process too.
        for _ in 0..<100 where reap() == nil { Wait.until(readable: [], seconds: 0.01) }
        return .timedOut
    }
}

/// Measures steps of time in which this process ran: not those in which it was stopped, or the machine asleep.
struct Stopwatch {
    let longestStep: Double
    private var last = SuspendingClock.now

    init(longestStep: Double) {
        self.longestStep = longestStep
    }

    /// Seconds since the last call.
    mutating func lap() -> Double {
        let now = SuspendingClock.now
        defer { last = now }
        let step = (now - last).components
        return min(longestStep, Double(step.seconds) + Double(step.attoseconds) / 1e18)
    }
}

enum Wait {
    /// Until one of the descriptors can be read or is at its end, or the time is over. Negative ones are left out.
    static func until(readable descriptors: [Int32], seconds: Double) {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), Int32(max(1, seconds * 1000)))
    }
}

import Glibc
import VTXSystem

extension WorkerProcess {
    /// How a child that had a limit ended.
    enum Outcome: Sendable, Hashable {
        case ended(ProcessEnding)
        case timedOut
    }

    /// Runs a child to its end, unless it does nothing for this many seconds; see `ProcessActivity` for what counts.
    ///
    /// For work that may bring the process down, such as asking a driver what it can do: a crash is an answer then.
    /// - Returns: what the child wrote into its pipe, and how it ended.
    static func run(
        _ launch: WorkerLaunch, seconds: Double
    ) throws(SystemError) -> (reports: [UInt8], outcome: Outcome) {
        try WorkerProcess(launch).outcome(seconds: seconds)
    }

    /// The same with one that has begun.
    func outcome(seconds: Double) -> (reports: [UInt8], outcome: Outcome) {
        var reports: [UInt8] = []
        var idleTime = IdleTime(of: identifier, limit: seconds)
        while reap() == nil {
            Wait.until(readable: [self.reports], seconds: timeout(idleTime.tick))
            reports += readReports()
            if idleTime.isTooLong() { return (reports, breakOff()) }
        }
        reports += readReports()
        return (reports, ending.map { .ended($0) } ?? .timedOut)
    }

    /// Once the pipe is closed nothing tells of the end any more, and it is near.
    func timeout(_ seconds: Double) -> Double { reports < 0 ? min(seconds, 0.01) : seconds }

    private func breakOff() -> Outcome {
        kill()
        // A kernel that does not release it must not keep this process too.
        for _ in 0..<100 where reap() == nil { Wait.until(readable: [], seconds: 0.01) }
        return .timedOut
    }
}

/// Watches a process that says nothing of what it does.
private struct IdleTime {
    /// Seconds after which to look again.
    let tick: Double
    private let limit: Double
    private var watchdog = Watchdog()
    private var meter: ProcessActivityMeter
    private var stopwatch: Stopwatch
    private var untold = 0.0

    init(of process: pid_t, limit: Double) {
        self.limit = limit
        tick = min(0.5, max(0.01, limit / 5))
        meter = ProcessActivityMeter(process)
        stopwatch = Stopwatch(longestStep: 2 * tick)
    }

    mutating func isTooLong() -> Bool {
        untold += stopwatch.lap()
        guard untold >= tick else { return false }
        defer { untold = 0 }
        return watchdog.hasExpired(after: untold, of: meter.measure(seconds: untold), limit: limit)
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
        return min(longestStep, (now - last) / .seconds(1))
    }
}

enum Wait {
    /// Until one of the descriptors can be read or is at its end, or the time is over. Negative ones are left out.
    static func until(readable descriptors: [Int32], seconds: Double) {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        poll(&polled, nfds_t(polled.count), Int32(max(1, seconds * 1000)))
    }
}

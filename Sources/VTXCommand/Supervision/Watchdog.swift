/// What a worker does while nothing comes out of it.
enum ProcessActivity: Sendable, Hashable {
    /// Nothing at all: so looks a driver that waits for a GPU that does not answer.
    case idle
    /// It computes: a slow encoder does, and so does a driver that waits in a circle.
    case busy
    /// It is stopped, or waits for a file, a pipe or a terminal. No driver is to blame for that.
    case waiting

    /// - Parameters:
    ///   - used: time on a processor, of all threads.
    ///   - seconds: the time in which they used it.
    ///
    /// A driver that asks its GPU again and again, with short sleeps in between, uses little. Whether a thread waits for
    /// a processor at one moment says nothing: on a busy machine such a driver's thread nearly always does.
    init(processorSeconds used: Double, of seconds: Double) {
        self = used >= 0.1 * seconds ? .busy : .idle
    }

    /// What a second of it counts. One that computes gets ten times as long: a frame of 8K in software, or the way
    /// to a far `--start`, takes its time.
    fileprivate var weight: Double {
        switch self {
        case .idle: 1
        case .busy: 0.1
        case .waiting: 0
        }
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

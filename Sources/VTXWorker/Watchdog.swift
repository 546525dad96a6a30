import VTXSystem

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

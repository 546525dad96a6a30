import Glibc

/// A clock that never goes back, with an arbitrary origin.
package enum MonotonicClock {
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// The calendar clock, which may be set, even back.
package enum WallClock {
    /// Since 1970, UTC.
    package static var milliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// `2026-11-25T07:03:32.250Z` (ISO 8601).
    package static func text(_ milliseconds: Int64) -> String {
        var clock = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&clock, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
        }
        let day = [digits(Int(parts.tm_year) + 1900, 4)] + [parts.tm_mon + 1, parts.tm_mday].map { digits(Int($0), 2) }
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
        return day.joined(separator: "-") + "T" + time.joined(separator: ":")
            + ".\(digits(Int(milliseconds % 1000), 3))Z"
    }
}

/// Measures the time in which this process ran, excluding time in which it was stopped or the machine suspended.
package struct Stopwatch: Sendable {
    private let longestStep: Double
    private var last = SuspendingClock.now

    /// - Parameter longestStep: Seconds; a longer step counts as this many.
    package init(longestStep: Double) { self.longestStep = longestStep }

    /// Returns the seconds since the last call.
    package mutating func lap() -> Double {
        let now = SuspendingClock.now
        defer { last = now }
        return min(longestStep, (now - last) / .seconds(1))
    }
}

/// Whether a failed job is tried again, and when.
enum RetryPolicy {
    enum Decision: Sendable, Hashable {
        case final
        /// It kills workers: kept with its evidence, and not tried again by itself.
        case park
        case retry(afterSeconds: Double)
    }

    private struct Rule {
        /// How often in a row.
        var limit: Int
        var backoff: Backoff?
        var last: Decision = .final
    }

    private static func rule(_ category: Failure.Category) -> Rule? {
        switch category {
        // To another device, at last to software, at once.
        case .device: Rule(limit: 16)
        case .network: Rule(limit: 10, backoff: Backoff(first: 2, longest: 300))
        // A worker whose server was killed needs a moment to see that.
        case .busy: Rule(limit: 60, backoff: Backoff(first: 0.5, longest: 5))
        case .worker: Rule(limit: 3, backoff: Backoff(first: 1, longest: 10), last: .park)
        case .source, .request, .output, .rule: nil
        }
    }

    /// - Parameter setbacks: how often in a row this category has happened, this time included.
    static func decision(_ failure: Failure, setbacks: Int, _ id: JobID) -> Decision {
        guard let rule = rule(failure.category) else { return .final }
        if setbacks >= rule.limit { return rule.last }
        return .retry(afterSeconds: rule.backoff?.seconds(setbacks, of: id.text) ?? 0)
    }
}

/// Waits that double, each a little different for each job, so that they do not all come back at once.
package struct Backoff: Sendable, Hashable {
    package var first: Double
    package var longest: Double

    package init(first: Double, longest: Double) { (self.first, self.longest) = (first, longest) }

    /// Seconds before the try that follows failure `count`, which counts from 1.
    package func seconds(_ count: Int, of name: String) -> Double {
        let doubled = first * Double(UInt64(1) << UInt64(min(max(count - 1, 0), 32)))
        return min(doubled, longest) * (0.75 + 0.5 * jitter(count, name))
    }

    /// From 0 to 1, the same for the same job and count: FNV-1a.
    private func jitter(_ count: Int, _ name: String) -> Double {
        let hash = "\(name)/\(count)".utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return Double((hash ^ hash >> 32) & 0xffff) / 65535
    }
}

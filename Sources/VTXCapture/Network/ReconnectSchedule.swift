/// When to connect again. Pure: no clock in it.
struct ReconnectSchedule: Sendable, Hashable {
    /// The pause after each consecutive failure, in seconds; the last one repeats.
    private static let pauses = [0.5, 1, 2, 4, 8]

    /// The number of failed attempts and lost connections since the last success.
    private(set) var failureCount = 0
    private(set) var next = -Double.infinity

    mutating func fail(at now: Double) {
        next = now + Self.pauses[min(failureCount, Self.pauses.count - 1)]
        failureCount += 1
    }

    mutating func succeed() { failureCount = 0 }
}

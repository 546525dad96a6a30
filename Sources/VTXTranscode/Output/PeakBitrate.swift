/// The peak bit rate of a stream over an interval, in decoding order. Pure; times in seconds.
struct PeakBitrate: Sendable {
    private let seconds: Double
    private var units: [(time: Double, bits: Int)] = []
    private var sum = 0
    private(set) var bits = 0

    /// - Parameter seconds: The length of the interval, which excludes a unit decoded at its end.
    init(over seconds: Double = 1) {
        // Times are sums of fractions: what is a millionth of a second short of the end is at the end.
        self.seconds = seconds - 1e-6
    }

    mutating func note(byteCount: Int, at time: Double) {
        units.append((time, byteCount * 8))
        sum += byteCount * 8
        let first = units.firstIndex { $0.time > time - seconds } ?? units.count
        sum -= units[..<first].reduce(0) { $0 + $1.bits }
        units.removeFirst(first)
        bits = max(bits, sum)
    }
}

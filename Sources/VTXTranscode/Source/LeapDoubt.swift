/// Tells a gap from a damaged time: behind a gap the stream goes on, a damaged time stands ahead of it alone.
///
/// A time that leaps ahead is not believed at once. It waits, with all that comes after it, for a few more of its
/// stream: they go on from there, or come back. Pure; ticks of one time base.
struct LeapDoubt<Unit> {
    struct Judged {
        var unit: Unit
        /// Its time is damaged.
        var isOutlier: Bool
    }

    /// Ticks by which a time may be ahead of all before it without being doubted.
    private let threshold: Int64
    /// How many units with earlier times may follow one in an honest stream; it is astray with more of them.
    private let reordered: Int
    /// How many units that go on from a leap prove it, where they go on for as long as the threshold.
    private let proof: Int
    /// How many units, and bytes, may wait; then the leap is believed.
    private let patience: (units: Int, bytes: Int)
    /// The latest time that is believed.
    private var latest: Int64?
    private var waiting: [(unit: Unit, time: Int64?, bytes: Int)] = []

    init(threshold: Int64, reordered: Int, proof: Int, patience: (units: Int, bytes: Int) = (512, 64 << 20)) {
        self.threshold = threshold
        self.reordered = reordered
        self.proof = proof
        self.patience = patience
    }

    /// - Returns: the units about which there is no doubt any more, in the order in which they came.
    mutating func take(_ unit: Unit, at time: Int64?, bytes: Int) -> [Judged] {
        guard !waiting.isEmpty || isLeap(time) else { return [pass(unit, time)] }
        waiting.append((unit, time, bytes))
        return settle()
    }

    /// The end has come before the stream came back, so a leap is believed.
    mutating func finish() -> [Judged] {
        defer { waiting = [] }
        return waiting.map { pass($0.unit, $0.time) }
    }

    private func isLeap(_ time: Int64?) -> Bool {
        guard let time, let latest else { return false }
        return time - latest > threshold
    }

    private mutating func pass(_ unit: Unit, _ time: Int64?) -> Judged {
        if let time { latest = max(latest ?? time, time) }
        return Judged(unit: unit, isOutlier: false)
    }

    /// Passes on from the front as far as there is no doubt. Behind one that is settled, the next may be a leap again.
    private mutating func settle() -> [Judged] {
        var judged: [Judged] = []
        while let (unit, time, _) = waiting.first, let isDamaged = isOutlier(time) {
            waiting.removeFirst()
            judged.append(isDamaged ? Judged(unit: unit, isOutlier: true) : pass(unit, time))
        }
        return judged
    }

    /// Whether this time, of the first that waits, is damaged; nil where it cannot be told yet.
    private func isOutlier(_ time: Int64?) -> Bool? {
        guard let leap = time, isLeap(leap) else { return false }
        let later = waiting.dropFirst().compactMap(\.time)
        let onward = later.filter { $0 >= leap }
        if later.count - onward.count > reordered { return true }
        let isProved = onward.count >= proof && onward.contains { $0 - leap >= threshold }
        let isTooMuch = waiting.count > patience.units || waiting.reduce(0) { $0 + $1.bytes } > patience.bytes
        return isProved || isTooMuch ? false : nil
    }
}

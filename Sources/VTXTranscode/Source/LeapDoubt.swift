/// Tells a gap from a damaged time: behind a gap the stream goes on, a damaged time stands ahead of it alone.
///
/// A time that leaps ahead is not believed at once. It waits, with all that comes after it, until the stream has either
/// come back or gone on for so long that it will not. Pure; ticks of one time base.
struct LeapDoubt<Unit> {
    struct Judged {
        var unit: Unit
        /// Its time is damaged.
        var isAstray: Bool
    }

    /// Ticks by which a time may be ahead of all before it without being doubted.
    private let threshold: Int64
    /// How many units with earlier times may follow one in an honest stream: pictures that wait for it as a reference.
    private let reordered: Int
    /// How many units, and bytes, may wait; then the leap is believed.
    private let patience: (units: Int, bytes: Int)
    /// The latest time that is believed.
    private var latest: Int64?
    private var waiting: [(unit: Unit, time: Int64?)] = []
    private var waitingBytes = 0
    /// Times up to here are back from the leap: they are nearer to where it began.
    private var middle: Int64 = 0
    /// Units that wait and are back.
    private var returned = 0

    init(threshold: Int64, reordered: Int, patience: (units: Int, bytes: Int) = (512, 32 << 20)) {
        self.threshold = threshold
        self.reordered = reordered
        self.patience = patience
    }

    /// Nothing waits, and this time is no leap: the unit can be passed on as it is.
    mutating func believes(_ time: Int64?) -> Bool {
        guard waiting.isEmpty else { return false }
        guard let time else { return true }
        if let latest, time - latest > threshold { return false }
        latest = max(latest ?? time, time)
        return true
    }

    /// - Returns: the units about which there is no doubt any more, in the order in which they came.
    mutating func hold(_ unit: Unit, at time: Int64?, bytes: Int) -> [Judged] {
        if waiting.isEmpty, let time, let latest { middle = latest + (time - latest) / 2 }
        waiting.append((unit, time))
        waitingBytes += bytes
        if let time, time <= middle { returned += 1 }
        if returned > reordered { return release(isAstray: true) }
        if waiting.count > patience.units || waitingBytes > patience.bytes { return release(isAstray: false) }
        return []
    }

    /// The end has come before the stream came back, so the leap is believed.
    mutating func finish() -> [Judged] { release(isAstray: false) }

    private mutating func release(isAstray: Bool) -> [Judged] {
        let judged = waiting.map { unit, time in
            let isDamaged = isAstray && time.map { $0 > middle } ?? false
            if let time, !isDamaged { latest = max(latest ?? time, time) }
            return Judged(unit: unit, isAstray: isDamaged)
        }
        (waiting, waitingBytes, returned) = ([], 0, 0)
        return judged
    }
}

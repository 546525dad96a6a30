/// How engines are shared among jobs: real-time jobs get what they need, the others equal parts of the rest, each up to
/// what it can use (max-min fairness).
struct EngineShares {
    struct Occupant: Sendable, Hashable {
        var loads: [EngineID: Double]
        var realTime: Bool
    }

    private(set) var used: [EngineID: Double] = [:]
    private let capacity: [EngineID: Double]

    init(_ occupants: some Sequence<Occupant>, capacity: [EngineID: Double]) {
        self.capacity = capacity
        var elastic: [Occupant] = []
        for occupant in occupants {
            if occupant.realTime { add(occupant, 1) } else { elastic.append(occupant) }
        }
        fill(elastic)
    }

    func spare(_ engine: EngineID) -> Double { max(0, (capacity[engine] ?? 0) - (used[engine] ?? 0)) }

    /// All grow at the same pace until an engine is full; those that use it stay as they are.
    private mutating func fill(_ occupants: [Occupant]) {
        var (growing, pace) = (occupants, 0.0)
        while !growing.isEmpty, pace < 1 {
            let total = growing.reduce(into: [EngineID: Double]()) { $0.merge($1.loads, uniquingKeysWith: +) }
            let room = total.filter { $0.value > 0 }.map { spare($0.key) / $0.value }.min() ?? 1
            let step = min(room, 1 - pace)
            growing.forEach { add($0, step) }
            pace += step
            growing.removeAll { occupant in occupant.loads.contains { $0.value > 0 && spare($0.key) < 1e-9 } }
        }
    }

    private mutating func add(_ occupant: Occupant, _ part: Double) {
        for (engine, load) in occupant.loads { used[engine, default: 0] += load * part }
    }
}

/// Shares engines among jobs: real-time jobs get what they need, the others equal parts of the rest, limited by what
/// each can use (max-min fairness).
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

    /// Increases all shares evenly until an engine is full; the shares of its jobs are then fixed.
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

/// Orders jobs by priority, then by the label's recent usage, then by age.
package struct FairShare: Sendable, Hashable, Codable {
    /// The label whose values share engines fairly.
    package static let label = "tenant"

    private var used: [String: Double] = [:]
    private var updatedAt = 0.0
    /// The half-life of usage, in seconds.
    private static let halfLife = 3600.0

    package init() {}

    /// - Parameter seconds: Engine time, at `now` on a monotonic clock.
    package mutating func charge(_ tenant: String, seconds: Double, at now: Double) {
        fade(to: now)
        used[tenant, default: 0] += seconds
    }

    package func used(by tenant: String) -> Double { used[tenant] ?? 0 }

    private mutating func fade(to now: Double) {
        let halves = max(0, now - updatedAt) / Self.halfLife
        // Linear interpolation between half-lives is accurate enough.
        let whole = min(halves.rounded(.down), 60)
        let factor = (0..<Int(whole)).reduce(1.0) { factor, _ in factor / 2 } * (1 - min(halves - whole, 1) / 2)
        used = used.mapValues { $0 * factor }.filter { $0.value > 0.001 }
        updatedAt = now
    }

    /// Returns the order in which jobs get a device. Giving a tenant a job counts as a moment of usage, so that equal
    /// tenants alternate.
    package func order(_ jobs: [Job]) -> [Job] {
        var (waiting, ordered, assumed) = (Self.byTenant(jobs), [Job](), used)
        while let index = waiting.indices.min(by: { Self.isBefore(waiting[$0], waiting[$1], assumed) }) {
            let next = waiting[index].jobs.removeLast()
            ordered.append(next)
            assumed[next.tenant, default: 0] += 1
            if waiting[index].jobs.isEmpty { waiting.remove(at: index) }
        }
        return ordered
    }

    /// The jobs of a tenant, in reverse order.
    private typealias Queue = (tenant: String, jobs: [Job])

    private static func byTenant(_ jobs: [Job]) -> [Queue] {
        Dictionary(grouping: jobs, by: \.tenant).map { ($0.key, $0.value.sorted { $1.isBefore($0) }) }
    }

    private static func isBefore(_ left: Queue, _ right: Queue, _ used: [String: Double]) -> Bool {
        guard let first = left.jobs.last, let second = right.jobs.last else { return !left.jobs.isEmpty }
        if first.rank != second.rank { return first.rank > second.rank }
        let (mine, theirs) = (used[left.tenant] ?? 0, used[right.tenant] ?? 0)
        return mine == theirs ? first.isBefore(second) : mine < theirs
    }
}

extension Job {
    package var tenant: String { specification.labels[FairShare.label] ?? "" }

    /// Whether its source is fetched from a URL, which may take hours.
    package var isFetched: Bool { specification.input.url != nil }

    /// The jobs of a tenant that one kind of planner takes, in the order of the queue. Jobs whose sources are fetched
    /// hide no others.
    package var lane: String { isFetched ? "\(tenant)\n\(Self.fetched)" : tenant }
    private static let fetched = "fetched"

    /// Real-time jobs rank first, because a stream does not wait.
    package var rank: Int { specification.priority + (specification.realTime ? 1000 : 0) }

    fileprivate func isBefore(_ other: Job) -> Bool {
        if rank != other.rank { return rank > other.rank }
        return (createdAt, id.text) < (other.createdAt, other.id.text)
    }
}

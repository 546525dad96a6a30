import VTXSystem

/// An in-memory store, and the model with which other stores are compared.
package final class MemoryStore: JobStore {
    private struct State {
        var jobs: [JobID: (number: Int64, job: Job)] = [:]
        var keys: [String: (digest: String, id: JobID)] = [:]
        var lastNumber: Int64 = 0
        var events: [NumberedEvent] = []

        func added(by key: IdempotencyKey) -> Added? {
            guard let known = keys[key.key] else { return nil }
            guard known.digest == key.digest, let existing = jobs[known.id] else { return .conflict }
            return .existing(existing.job)
        }

        mutating func append(_ added: [LoggedEvent]) -> [Int64] {
            added.map { event in
                let number = (events.last?.number ?? 0) + 1
                events.append(NumberedEvent(number: number, event: event))
                return number
            }
        }
    }

    private let state = Locked(State())

    package init() {}

    package func added(by key: IdempotencyKey) -> Added? { state.withLock { $0.added(by: key) } }

    package func add(_ job: Job, key: IdempotencyKey? = nil, _ events: [LoggedEvent] = []) -> Added {
        state.withLock { state in
            if let key, let known = state.added(by: key) { return known }
            state.lastNumber += 1
            state.jobs[job.id] = (state.lastNumber, job)
            if let key { state.keys[key.key] = (key.digest, job.id) }
            return .new(state.append(events))
        }
    }

    @discardableResult
    package func save(_ jobs: [Job], _ events: [LoggedEvent] = [], _ records: [StoredRecord] = []) -> [Int64] {
        state.withLock { state in
            jobs.forEach { state.jobs[$0.id]?.job = $0 }
            return state.append(events)
        }
    }

    package func job(_ id: JobID) -> Job? { state.withLock { $0.jobs[id]?.job } }

    package func list(_ query: JobQuery) -> JobPage {
        let found = state.withLock { $0.jobs.values.sorted { $0.number > $1.number } }.filter { number, job in
            (query.cursor.map { number < $0 } ?? true)
                && (query.states.isEmpty || query.states.contains(job.state))
                && query.labels.allSatisfy { job.specification.labels[$0.key] == $0.value }
        }
        let page = found.prefix(query.limit)
        return JobPage(jobs: page.map(\.job), cursor: found.count > query.limit ? page.last?.number : nil)
    }

    package func candidates(at now: Timestamp, _ query: CandidateQuery) -> [Job] {
        let queued = state.withLock { Array($0.jobs.values) }
            .filter { $0.job.state == .queued && $0.job.isFetched == query.areFetched }
            .sorted { ($1.job.rank, $0.number) < ($0.job.rank, $1.number) }
        let perLane = query.perLane(of: Set(queued.map(\.job.lane)).count)
        var taken: [String: Int] = [:]
        let first = queued.filter { _, job in
            guard job.retryAt.map({ $0 <= now || $0 > now + Job.longestWait }) ?? true,
                query.above.map({ job.rank > $0 }) ?? true, taken[job.lane, default: 0] < perLane
            else { return false }
            taken[job.lane, default: 0] += 1
            return true
        }
        return first.prefix(query.total).map(\.job)
    }

    package func nextRetry(after now: Timestamp) -> Timestamp? {
        state.withLock { state in
            state.jobs.values.filter { $0.job.state == .queued }.compactMap(\.job.retryAt).filter { $0 > now }.min()
        }
    }

    package func active() -> [Job] { all.filter(\.isActive) }
    package func begun() -> [Job] { all.filter(\.hasBegun) }

    private var all: [Job] {
        state.withLock { $0.jobs.values.sorted { $0.number < $1.number } }.map(\.job)
    }

    package func counts() -> [JobState: Int] {
        state.withLock { state in state.jobs.values.reduce(into: [:]) { $0[$1.job.state, default: 0] += 1 } }
    }

    package func removeEnded(before time: Timestamp, limit: Int) -> [Job] {
        state.withLock { state in
            let old = state.jobs.values.sorted { $0.number < $1.number }
                .filter { $0.job.state.isFinal && ($0.job.endedAt ?? time) < time }.prefix(limit).map(\.job)
            for id in old.map(\.id) {
                state.jobs[id] = nil
                state.keys = state.keys.filter { $0.value.id != id }
            }
            return old
        }
    }
}

// Which jobs are planned next. Planning reads the source, which may first have to be fetched.
extension Dispatcher {
    /// The number of sources that are fetched from URLs at once. A slow server holds up no other job.
    private static let maxFetching = 8

    /// Whether it accepts candidates. Candidates with a higher rank than all waiting jobs are always accepted.
    package var wantsCandidates: Bool {
        !isDraining && (probing.count < maxPlanning || fetchesMore)
            && staged.count < stagedLimit && live.count < Self.limit
    }

    /// The jobs of the queue that it may take now. Asked for before each look at the queue, because a look at many jobs
    /// takes time.
    package var wantedCandidates: [CandidateQuery] {
        if isDraining { return [] }
        let highest = (staged + planning).map(\.rank).max()
        return [(false, probing.count < maxPlanning), (true, fetchesMore)].map { areFetched, hasRoom in
            CandidateQuery(areFetched: areFetched, above: hasRoom && wantsCandidates ? nil : highest)
        }
    }

    /// Whether a job would probably start soon. If not, another host may be idle.
    package var hasRoom: Bool { !isDraining && probing.isEmpty && staged.isEmpty && scheduler.hasRoom }

    /// Whether another source can be fetched at once.
    package var fetchesMore: Bool { fetching.count < Self.maxFetching }

    /// Whether to offer a job that has just been added.
    package func mayTake(_ job: Job) -> Bool {
        wantsCandidates && hasPlanner(for: job)
            || !isDraining && (staged + planning).allSatisfy { $0.rank < job.rank }
    }

    var planning: [Job] { live.values.filter { $0.hasWorker && $0.job.state == .planning }.map(\.job) }
    private var probing: [Job] { planning.filter { !$0.isFetched } }
    private var fetching: [Job] { planning.filter(\.isFetched) }

    func hasPlanner(for job: Job, times factor: Int = 1) -> Bool {
        job.isFetched ? fetching.count < Self.maxFetching * factor : probing.count < maxPlanning * factor
    }

    /// Whether the job ranks above all jobs that wait for engines, which must not block it.
    func isUrgent(_ job: Job) -> Bool {
        guard hasPlanner(for: job, times: 2) else { return false }
        return (staged + planning).allSatisfy { shares.order([$0, job]).first?.id == job.id }
    }
}

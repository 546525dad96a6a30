import VTXCluster
import VTXJobs

/// A server and its cluster.
struct ClusterMember: Sendable {
    let cluster: Cluster
    /// What the server is called there, for as long as it keeps its state.
    let server: String

    /// A request that this or another server of the cluster has taken; nil for one that is new, or while no NATS server
    /// answers.
    func added(by key: IdempotencyKey) -> Added? {
        (try? cluster.record(JobID(of: key)))?.record.job.added(by: key)
    }
}

import VTXCluster
import VTXJobs

/// A server as a member of its cluster.
struct ClusterMember: Sendable {
    let cluster: Cluster
    /// The name of the server in the cluster, as long as it keeps its state.
    let server: String

    /// Returns the job of a request that a server of the cluster has accepted before; nil for a new request, and while
    /// no NATS server is reachable.
    func added(by key: IdempotencyKey) -> Added? {
        (try? cluster.record(JobID(of: key)))?.record.job.added(by: key)
    }
}

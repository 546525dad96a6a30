import VTXCluster
import VTXJSON
import VTXJobs

/// The outputs of the service's jobs, by their paths without symbolic links.
protocol OutputRegistry: Sendable {
    /// Claims an output for a job that is about to write it.
    ///
    /// - Returns: a job of another host that is writing it; nil if the output is this job's.
    func claim(_ path: String, for job: JobID) throws(StoreError) -> JobID?
    /// Returns what the last job has written under a path; nil if none has.
    func record(of path: String) throws(StoreError) -> JSONValue?
    func put(_ record: JSONValue, of path: String) throws(StoreError)
}

/// The outputs of a single host.
struct LocalOutputs: OutputRegistry {
    let records: any RecordStore

    /// The dispatcher starts no job while another one writes its output.
    func claim(_ path: String, for job: JobID) -> JobID? { nil }

    func record(of path: String) throws(StoreError) -> JSONValue? {
        try records.record(RecordCollections.watched, Self.name(path))
    }

    func put(_ record: JSONValue, of path: String) throws(StoreError) {
        try records.put(record, RecordCollections.watched, Self.name(path))
    }

    /// As for a folder without a name.
    private static func name(_ path: String) -> String { "\n\(path)" }
}

/// The outputs of a cluster, shared by all hosts.
struct ClusterOutputs: OutputRegistry {
    let cluster: Cluster
    /// The outputs from a time when this server did the work itself.
    var earlier: LocalOutputs?

    func claim(_ path: String, for job: JobID) throws(StoreError) -> JobID? {
        do throws(NATSError) { return try cluster.claim(output: path, for: job) } catch { throw StoreError(error) }
    }

    func record(of path: String) throws(StoreError) -> JSONValue? {
        do throws(NATSError) {
            if let found = try cluster.output(path) { return found }
        } catch { throw StoreError(error) }
        return try earlier?.record(of: path)
    }

    func put(_ record: JSONValue, of path: String) throws(StoreError) {
        do throws(NATSError) { try cluster.put(output: path, record) } catch { throw StoreError(error) }
    }
}

extension StoreError {
    init(_ error: NATSError) { self.init(.busy, "the cluster cannot be reached: \(error)") }
}

/// A job on another host writes the same output.
struct OutputTaken: Error { var by: JobID }

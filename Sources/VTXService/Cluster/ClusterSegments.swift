import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The segments of a job as jobs of the cluster. Each has a record and a message, and is claimed, lost and retried like
/// any other job. Their identities follow from the whole job, so a worker that claims it after another was lost finds
/// them.
struct ClusterSegments: SegmentJobs {
    let cluster: Cluster

    func offer(_ job: Job, in directory: String) throws(Failure) {
        do throws(NATSError) {
            for number in 1...job.segmentCount {
                let path = Self.path(number, of: job, in: directory)
                guard let segment = job.segment(number, into: path, at: .now) else { return }
                try offer(segment, isThere: FileStatus(path)?.kind == .regular)
            }
        } catch {
            throw Failure(.network, "cluster.unreachable", "segments cannot be offered: \(error)")
        }
    }

    static func path(_ number: Int, of job: Job, in directory: String) -> String {
        let name = job.workload?.outputName ?? job.specification.output?.path ?? ""
        return "\(directory)/\(SegmentedWork.fileName(number, of: FileName.directory(of: name).name))"
    }

    private func offer(_ segment: Job, isThere: Bool) throws(NATSError) {
        while true {
            guard let (record, revision) = try cluster.record(segment.id) else {
                if isThere { return }
                if try cluster.create(ClusterRecord(segment)) == nil {
                    if try cluster.record(segment.id) != nil { continue }
                    // It was removed when the whole had ended, which is tried again.
                    try cluster.put(ClusterRecord(segment))
                }
                return try cluster.offerIfMissing(segment)
            }
            switch record.offering(segment, isThere: isThere, at: .now) {
            case .leave: return
            case .offer(let record):
                guard try cluster.replace(record, revision: revision) != nil else { continue }
                return try cluster.offerIfMissing(record.job)
            }
        }
    }

    func failure(of job: Job) -> Failure? {
        (1...job.segmentCount).lazy.compactMap { number -> Failure? in
            let record = try? cluster.record(JobID(segment: number, of: job.id))
            guard var failure = record?.record.job.failure else { return nil }
            failure.message = "segment \(number): \(failure.message)"
            return failure
        }.first
    }

    /// Removes the records. A worker that has a segment notices that its record is gone.
    func withdraw(_ job: Job) {
        for number in 1...max(1, job.segmentCount) where job.segmentCount > 1 {
            let id = JobID(segment: number, of: job.id)
            try? cluster.remove(id)
            try? cluster.publishChange(of: id)
        }
    }
}

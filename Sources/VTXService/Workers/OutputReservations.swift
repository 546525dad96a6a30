import VTXJobs
import VTXSystem

/// The outputs that the running jobs of this host write.
final class OutputReservations: Sendable {
    private struct Reservation {
        var path: String
        /// The file of a watch folder; nil for other jobs.
        var source: String?
    }

    private let reservations = Locked<[JobID: Reservation]>([:])

    /// Reserves an output for a job, also if another job has it.
    ///
    /// - Parameter path: Without symbolic links.
    /// - Returns: another job that writes this output, from another source. A changed source of a watch folder replaces
    ///   its earlier output.
    func reserve(_ path: String, for job: Job) -> JobID? {
        let own = Reservation(path: path, source: WatchedFiles.source(of: job))
        return reservations.withLock { reservations in
            reservations[job.id] = own
            return reservations.first { id, other in
                id != job.id && other.path == path && (own.source == nil || other.source != own.source)
            }?.key
        }
    }

    func release(_ job: JobID) { reservations.withLock { $0[job] = nil } }
}

import VTXJobs

/// Distributes the segments of a job to other hosts.
protocol SegmentJobs: Sendable {
    /// Offers the segments that are not done, each to be written to a file in a directory.
    func offer(_ job: Job, in directory: String) throws(Failure)
    /// Returns why a segment failed; nil for none.
    func failure(of job: Job) -> Failure?
    /// Withdraws segments that are no longer needed.
    func withdraw(_ job: Job)
}

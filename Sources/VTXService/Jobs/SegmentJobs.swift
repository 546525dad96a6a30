import VTXJobs

/// Has other hosts encode the segments of a job.
protocol SegmentJobs: Sendable {
    /// Offers those that are not done, each to write its file into a directory.
    func offer(_ job: Job, in directory: String) throws(Failure)
    /// Why one of them cannot be done; nil as long as all may be.
    func failure(of job: Job) -> Failure?
    /// They are not wanted any more.
    func withdraw(_ job: Job)
}

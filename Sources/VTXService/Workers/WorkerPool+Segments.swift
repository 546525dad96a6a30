import VTXJSON
import VTXJobs
import VTXMedia
import VTXSystem
import VTXTask

// A job whose segments other workers encode.
extension WorkerPool {
    /// Distributes the segments, and joins them as they arrive.
    ///
    /// - Parameter directory: For their files, next to the output.
    func joined(
        _ work: MediaWork, _ job: Job, _ names: OutputNames, _ directory: String, _ control: RunControl
    ) throws -> FinishedWork {
        do throws(SystemError) { try Directory.make(directory) } catch { throw Failure.output(error, directory) }
        try segments?.offer(job, in: directory)
        var work = work
        work.segmentedWork = .join(directory: directory)
        work.settings[OptionName.segments.rawValue] = .integer(Int64(job.segmentCount))
        work.settings[OptionName.parallel.rawValue] = nil
        if let codec = job.workload?.segments?.first?.stages[.encode]?.kind {
            work.settings[OptionName.codec.rawValue] = .string(codec)
        }
        let watch = SegmentWatch(job, segments, control)
        spawn("vtx-segments") { watch.run() }
        defer { watch.end() }
        do { return try finished(work, job, names, [:], control) } catch let stopped as Stopped {
            throw watch.failure.map { SegmentFailed(failure: $0) } ?? stopped
        }
    }
}

/// A segment failed in a way that a retry would repeat.
struct SegmentFailed: Error { var failure: Failure }

/// Ends the wait for segments if one of them has failed.
private final class SegmentWatch: Sendable {
    private let job: Job
    private let segments: (any SegmentJobs)?
    private let control: RunControl
    private let ended = BoundedQueue<Void>(capacity: 1)
    private let found = Locked<Failure?>(nil)

    /// The interval between checks, in seconds.
    private static let interval = 2.0

    init(_ job: Job, _ segments: (any SegmentJobs)?, _ control: RunControl) {
        (self.job, self.segments, self.control) = (job, segments, control)
    }

    var failure: Failure? { found.withLock { $0 } }

    func end() { ended.cancel() }

    func run() {
        do throws(QueueCancelled) {
            while true {
                _ = try ended.pop(timeoutSeconds: Self.interval)
                guard let failure = segments?.failure(of: job) else { continue }
                found.withLock { $0 = failure }
                return control.stop(.preempt)
            }
        } catch { return }
    }
}

/// Distributes the segments of a job to other hosts.
protocol SegmentJobs: Sendable {
    /// Offers the segments that are not done, each to be written to a file in a directory.
    func offer(_ job: Job, in directory: String) throws(Failure)
    /// Returns why a segment failed; nil for none.
    func failure(of job: Job) -> Failure?
    /// Withdraws segments that are no longer needed.
    func withdraw(_ job: Job)
}

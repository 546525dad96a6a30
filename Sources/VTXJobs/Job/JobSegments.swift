import VTXJSON
import VTXSystem

/// Which segment of another job's video a job is. Users see that job alone.
package struct JobSegment: Sendable, Hashable, Codable {
    /// The one that joins the segments.
    package var whole: JobID
    /// Counts from 1.
    package var number: Int
    package var count: Int
    /// What it costs, so that nothing has to look at the source again.
    package var workload: Workload
}

extension Job {
    /// Into how many segments its video is cut; 1 where it is not.
    package var segmentCount: Int { workload?.segments?.count ?? 1 }

    /// The job of one of its segments.
    ///
    /// - Parameters:
    ///   - number: counts from 1.
    ///   - path: of the segment's file.
    /// - Returns: nil where there is no such segment.
    package func segment(_ number: Int, into path: String, at now: Timestamp) -> Job? {
        guard let segments = workload?.segments, segments.indices.contains(number - 1) else { return nil }
        var (part, workload) = (specification, segments[number - 1])
        (part.output, part.callback, part.realTime) = (.init(path: path), nil, false)
        part.settings["segments"] = nil
        // What hosts would choose by their devices is chosen.
        if let codec = workload.stages[.encode]?.kind { part.settings["codec"] = .string(codec) }
        // One that a lost worker has left is not known to be whole.
        part.settings["overwrite"] = "replace"
        workload.outputName = nil
        var job = Job(id: JobID(segment: number, of: id), part, at: now, origin: origin)
        job.segment = JobSegment(whole: id, number: number, count: segments.count, workload: workload)
        return job
    }
}

extension JobID {
    /// The same segment of a job is the same job at every worker.
    package init(segment number: Int, of whole: JobID) {
        self.init(of: IdempotencyKey(key: "\u{0}segment \(number) of \(whole)", digest: ""))
    }
}

extension Workload {
    /// Cuts the video: what is left for the job itself is hardly any work.
    package func cut(into count: Int) -> Workload {
        guard count > 1 else { return self }
        var (joining, segment) = (self, self)
        segment.frames = frames.map { ($0 + count - 1) / count }
        (joining.stages, joining.allowsSoftware) = ([:], true)
        joining.segments = Array(repeating: segment, count: count)
        return joining
    }
}

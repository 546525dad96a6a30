import VTXJSON
import VTXSystem

/// A segment of another job's video. Users only see the other job.
package struct JobSegment: Sendable, Hashable, Codable {
    /// The job that joins the segments.
    package var whole: JobID
    /// Starts at 1.
    package var number: Int
    package var count: Int
    /// The cost, so that the source need not be probed again.
    package var workload: Workload
}

extension Job {
    /// The number of segments of its video; 1 if it is not split.
    package var segmentCount: Int { workload?.segments?.count ?? 1 }

    /// Returns the job of one of its segments.
    ///
    /// - Parameters:
    ///   - number: The segment, from 1.
    ///   - path: The path of the segment's file.
    /// - Returns: the job; nil if there is no such segment.
    package func segment(_ number: Int, into path: String, at now: Timestamp) -> Job? {
        guard let segments = workload?.segments, segments.indices.contains(number - 1) else { return nil }
        var (part, workload) = (specification, segments[number - 1])
        (part.output, part.callback, part.realTime) = (.init(path: path), nil, false)
        part.settings["segments"] = nil
        // Fix settings that hosts would otherwise choose by their devices.
        if let codec = workload.stages[.encode]?.kind { part.settings["codec"] = .string(codec) }
        // A file left by a lost worker may be incomplete.
        part.settings["overwrite"] = "replace"
        workload.outputName = nil
        var job = Job(id: JobID(segment: number, of: id), part, at: now, origin: origin)
        job.segment = JobSegment(whole: id, number: number, count: segments.count, workload: workload)
        return job
    }
}

extension JobID {
    /// The same segment of a job has the same ID on every worker.
    package init(segment number: Int, of whole: JobID) {
        self.init(of: IdempotencyKey(key: "\u{0}segment \(number) of \(whole)", digest: ""))
    }
}

extension Workload {
    /// Returns the workload of the job without its segments: hardly any work is left.
    package func cut(into count: Int) -> Workload {
        guard count > 1 else { return self }
        var (joining, segment) = (self, self)
        segment.frames = frames.map { ($0 + count - 1) / count }
        (joining.stages, joining.allowsSoftware) = ([:], true)
        joining.segments = Array(repeating: segment, count: count)
        return joining
    }
}

package import VTXJSON
package import VTXJobs
import VTXSystem

// The outputs of the cluster's jobs, by their paths without symbolic links, which are the same on all hosts.
extension Cluster {
    /// Claims an output for a job that is about to write it. The claim lasts until the job ends or is paused, and needs
    /// no release: the next job that wants the output takes it.
    ///
    /// - Returns: another job that writes it, or resumes it later; nil if the output is this job's.
    package func claim(output path: String, for job: JobID) throws(NATSError) -> JobID? {
        let key = "job.\(Self.digest(path))"
        while true {
            guard let (text, revision) = try using({ prepared throws(NATSError) in try prepared.outputs.value(key) })
            else {
                if try using({ prepared throws(NATSError) in try prepared.outputs.create(key, job.text) }) != nil {
                    return nil
                }
                continue
            }
            if text == job.text { return nil }
            if let other = JobID(text), try holdsOutput(other) { return other }
            let taken = try using { prepared throws(NATSError) in
                try prepared.outputs.replace(key, job.text, revision: revision)
            }
            if taken != nil { return nil }
        }
    }

    /// Whether the job writes its output, or will: it has neither ended nor been paused.
    package func holdsOutput(_ job: JobID) throws(NATSError) -> Bool {
        guard let state = try record(job)?.record.job.state else { return false }
        return !state.isFinal && state != .paused
    }

    /// Stores what a job has written under a path.
    package func put(output path: String, _ value: JSONValue) throws(NATSError) {
        try using { prepared throws(NATSError) in try prepared.outputs.put("file.\(Self.digest(path))", value.text) }
    }

    /// Returns what the last job has written under a path; nil if none has.
    package func output(_ path: String) throws(NATSError) -> JSONValue? {
        let found = try using { prepared throws(NATSError) in
            try prepared.outputs.value("file.\(Self.digest(path))")
        }
        return found.flatMap { try? JSONValue(parsing: $0.text) }
    }

    /// Paths have characters and lengths that keys cannot have.
    private static func digest(_ path: String) -> String { SHA256.hexadecimal(path.utf8) }
}

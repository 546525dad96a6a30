import VTXJSON
package import VTXJobs

/// The subject of a job's message, by the requirements on its worker: `vtx.work.CODEC.HARDWARE.CLASS.JOB`.
package struct WorkSubject: Sendable, Hashable {
    /// Which workers may run it.
    package enum Hardware: String, Sendable, Hashable, CaseIterable {
        /// Workers with a GPU.
        case required = "hw"
        case any
    }

    /// The order in which jobs are taken.
    package enum Priority: String, Sendable, Hashable, CaseIterable {
        case high
        case normal
        case low
    }

    package var codec: String
    package var hardware: Hardware
    package var priority: Priority
    package var job: JobID

    package init(of job: Job) {
        let settings = job.specification.settings
        codec = settings["copyVideo"]?.bool == true ? "copy" : settings["codec"]?.string ?? "default"
        hardware = settings["hardware"]?.string == "require" ? .required : .any
        // Segments have priority, so that jobs that have started finish before others start.
        priority = job.rank > 0 || job.segment != nil ? .high : job.rank < 0 ? .low : .normal
        self.job = job.id
    }

    package var text: String { "vtx.work.\(codec).\(hardware.rawValue).\(priority.rawValue).\(job)" }

    /// Returns the job of a message's subject.
    package static func job(of subject: String) -> JobID? { JobID(String(subject.split(separator: ".").last ?? "")) }

    /// Returns the pattern for all jobs of a kind.
    static func pattern(_ hardware: Hardware, _ priority: Priority) -> String {
        "vtx.work.*.\(hardware.rawValue).\(priority.rawValue).*"
    }
}

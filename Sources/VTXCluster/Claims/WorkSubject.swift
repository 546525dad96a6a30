import VTXJSON
package import VTXJobs

/// The subject of a job's message, by what its worker needs: `vtx.work.CODEC.HARDWARE.CLASS.JOB`.
package struct WorkSubject: Sendable, Hashable {
    /// Which workers may have it.
    package enum Hardware: String, Sendable, Hashable, CaseIterable {
        /// Those with a GPU.
        case required = "hw"
        case any
    }

    /// Which comes first.
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
        // What has begun goes on before anything else begins.
        priority = job.rank > 0 || job.segment != nil ? .high : job.rank < 0 ? .low : .normal
        self.job = job.id
    }

    package var text: String { "vtx.work.\(codec).\(hardware.rawValue).\(priority.rawValue).\(job)" }

    /// The job of a message's subject.
    package static func job(of subject: String) -> JobID? { JobID(String(subject.split(separator: ".").last ?? "")) }

    /// The subjects of all jobs of a kind.
    static func pattern(_ hardware: Hardware, _ priority: Priority) -> String {
        "vtx.work.*.\(hardware.rawValue).\(priority.rawValue).*"
    }
}

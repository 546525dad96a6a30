package import VTXJSON
package import VTXJobs

/// Does the media work of jobs, in processes of its own. Its calls wait for their ends.
package protocol JobRunner: Sendable {
    /// Looks at a source and says what would be done.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork

    /// Does it. The output is whole and checked when this returns.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork

    /// The devices here, with everything that is known of them.
    func devices() -> [ProbedDevice]

    /// Tries a device with known pictures.
    ///
    /// - Returns: what is wrong with it; nil when it is well.
    func selfTest(_ device: DeviceName, _ control: RunControl) -> Failure?
}

/// What a worker is to do.
package struct MediaWork: Sendable, Hashable {
    package var input: String
    /// nil for a plan that is to propose a name.
    package var output: String?
    package var settings: [String: JSONValue]
    /// Where the worker may keep what it needs to go on later.
    package var workDirectory: String
    /// Counts from 1, over all servers.
    package var attempt = 1
    /// GPUs that failed at this job.
    package var avoiding: [DeviceName] = []
}

package struct PlannedWork: Sendable {
    package var workload: Workload
    /// The whole plan, with its reasons.
    package var document: JSONValue
    package var sourceCodec: String
    package var targetCodec: String
    /// Of the output's size to the source's, where something can be said.
    package var expectedRatio: Double?
}

package struct FinishedWork: Sendable {
    package var frames: Int
    /// Seconds of video.
    package var duration: Double
    package var seconds: Double
    package var notices: Int
    package var receipt: JSONValue?
}

package enum RunReport: Sendable {
    case progress(JobProgress)
    /// A record of the worker, to be passed on as it is.
    case record(type: String, JSONValue)
    case used([EngineID: Double], frames: Int)
}

/// How far a job is.
package struct JobProgress: Sendable, Hashable {
    /// `transcoding`, `finishing` or `verifying`.
    package var phase: String
    package var frames: Int
    package var totalFrames: Int?
    package var percent: Double?
    package var fps: Double?
    /// Seconds of video a second.
    package var speed: Double?
    package var etaSeconds: Double?
    package var bytes: Int64
}

package struct ProbedDevice: Sendable {
    package var device: Device
    /// As `vtx probe --json` writes it.
    package var report: JSONValue
    package var isUsable: Bool
}

/// The work was ended before its end, as was wanted.
package struct Stopped: Error {}

package import VTXJSON
package import VTXJobs
import VTXSystem
package import VTXTask

/// Runs the media work of jobs in separate processes. Its methods block until they end.
package protocol JobRunner: Sendable {
    /// Inspects a source and returns the plan.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork

    /// Returns the result of workers that earlier servers started. One that is still running is followed to its end,
    /// and its records since then are forwarded.
    ///
    /// - Returns: nil if none has left a complete, verified output.
    /// - Throws: `Failure`, or `Stopped`.
    func finished(
        _ work: MediaWork, _ control: RunControl, _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork?

    /// Returns a closure that ends the worker left by an earlier server, and waits for its end; nil if none is running.
    func endOfLeftWorker(in workDirectory: String) -> (@Sendable () -> Void)?

    /// Runs the transcode. The output is complete and verified when this returns.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork

    /// Draws a thumbnail of a video. If there is none in the end, that is not a failure.
    ///
    /// - Parameter directory: For the thumbnail and the worker's temporary files.
    func draw(
        _ thumbnail: Thumbnail, of video: String, at seconds: Double?, in directory: String, _ control: RunControl)

    /// Returns the devices of this host with all that is known about them.
    func devices() -> [ProbedDevice]

    /// Tests a device with known frames.
    func selfTest(_ device: DeviceName, _ control: RunControl) -> DeviceTest
}

/// The work of a worker.
package struct MediaWork: Sendable, Hashable {
    package var input: String
    /// nil for a plan that proposes a name.
    package var output: String?
    package var settings: [String: JSONValue]
    /// The directory for what the worker needs to resume.
    package var workDirectory: String
    /// The number of the attempt from 1, across servers.
    package var attempt = 1
    /// The GPUs that failed at this job.
    package var avoiding: [DeviceName] = []
    /// The number of bytes taken from the records of each attempt, by file name.
    package var takenRecords: [String: Int64] = [:]
    /// nil if one worker does all of it.
    package var segmentedWork: SegmentedWork?

    /// Whether the output exists. Workers give it its name, a file's or a directory's, when it is complete.
    var hasOutput: Bool {
        guard let output, let kind = FileStatus(output)?.kind else { return false }
        return kind == .regular || kind == .directory
    }
}

package struct FinishedWork: Sendable {
    package var frames: Int
    /// The duration of the video, in seconds.
    package var duration: Double
    package var seconds: Double
    package var notices: Int
    /// nil if it is unknown.
    package var outcome: JobResult.Outcome?
    package var receipt: JSONValue?
    /// How long each GPU engine was busy, in seconds.
    package var engineSeconds: [EngineID: Double] = [:]
}

package enum RunReport: Sendable {
    case progress(JobProgress)
    /// A record of the worker, to be forwarded unchanged, once.
    case record(type: String, JSONValue, RecordPosition)
    /// A result without an output has been taken.
    case taken(RecordPosition)
}

package struct ProbedDevice: Sendable {
    package var device: Device
    /// In the form of `vtx probe --json`.
    package var report: JSONValue
    package var isUsable: Bool
}

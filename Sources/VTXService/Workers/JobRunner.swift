package import VTXJSON
package import VTXJobs
import VTXSystem
package import VTXTask

/// Does the media work of jobs, in processes of its own. Its calls wait for their ends.
package protocol JobRunner: Sendable {
    /// Looks at a source and says what would be done.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func plan(_ work: MediaWork, _ control: RunControl) throws -> PlannedWork

    /// What workers have come to that earlier servers started: one that still runs is followed to its end, and what they
    /// have told since is passed on.
    ///
    /// - Returns: nil where none has left an output that is whole and checked.
    /// - Throws: `Failure`, or `Stopped`.
    func finished(
        _ work: MediaWork, _ control: RunControl, _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork?

    /// What ends the worker that an earlier server has left there, and waits until it has ended; nil where none runs.
    func endOfLeftWorker(in workDirectory: String) -> (@Sendable () -> Void)?

    /// Does it. The output is whole and checked when this returns.
    ///
    /// - Throws: `Failure`, or `Stopped`.
    func transcode(
        _ work: MediaWork, on devices: [Stage: DeviceName], _ control: RunControl,
        _ report: @escaping @Sendable (RunReport) -> Void
    ) throws -> FinishedWork

    /// Draws one picture of a video. Where there is none in the end, that is no failure.
    ///
    /// - Parameter directory: for the picture, and for what the worker needs meanwhile.
    func draw(
        _ thumbnail: Thumbnail, of video: String, at seconds: Double?, in directory: String, _ control: RunControl)

    /// The devices here, with everything that is known of them.
    func devices() -> [ProbedDevice]

    /// Tries a device with known pictures.
    func selfTest(_ device: DeviceName, _ control: RunControl) -> DeviceTest
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
    /// Bytes that were taken of the records of each attempt, by the file's name.
    package var takenRecords: [String: Int64] = [:]
    /// nil where it is all one worker's.
    package var segmentedWork: SegmentedWork?
}

package struct FinishedWork: Sendable {
    package var frames: Int
    /// Seconds of video.
    package var duration: Double
    package var seconds: Double
    package var notices: Int
    package var receipt: JSONValue?
    /// How long engines of GPUs were busy with it.
    package var engineSeconds: [EngineID: Double] = [:]
}

package enum RunReport: Sendable {
    case progress(JobProgress)
    /// A record of the worker, to be passed on as it is, once.
    case record(type: String, JSONValue, RecordPosition)
    /// A result that is no output has been taken.
    case taken(RecordPosition)
}

package struct ProbedDevice: Sendable {
    package var device: Device
    /// As `vtx probe --json` writes it.
    package var report: JSONValue
    package var isUsable: Bool
}

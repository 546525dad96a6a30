import VTXJobs
import VTXSystem

/// What the job loop is told.
enum JobMessage: Sendable {
    case event(DispatchEvent)
    /// A job of this rank was added to the queue.
    case look(rank: Int)
    /// A user asks for something; the answer goes back.
    case command(JobID, JobEvent, Answer<Result<Job, Problem>>)
    /// A worker is about to give an output its name; it goes on when that is written down.
    case commit(JobID, JobResult, FileIdentity, Answer<Bool>)
    /// A worker tells how far it is.
    case progress(JobID, JobProgress)
    /// Something to be told and kept with a job.
    case note(LoggedEvent)
    case askDevices(Answer<DeviceStatus>)
    case stop
}

/// One value from one thread to another.
final class Answer<Value: Sendable>: Sendable {
    private let queue = BoundedQueue<Value>(capacity: 1)

    func give(_ value: Value) { try? queue.push(value) }
    /// nil where the other side has gone.
    func wait() -> Value? { (try? queue.pop()) ?? nil }
    func wait(seconds: Double) -> Value? { (try? queue.pop(timeoutSeconds: seconds)) ?? nil }
    func cancel() { queue.cancel() }
}

/// What is known of the devices at the moment.
struct DeviceStatus: Sendable {
    var devices: [Device]
    var health: [DeviceName: DeviceHealth]
    var load: [EngineID: Double]
    var capacity: [EngineID: Double]
    /// Jobs by device.
    var jobs: [DeviceName: [JobID]]
}

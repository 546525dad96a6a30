import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The single thread that decides about jobs: it feeds the dispatcher and performs its actions, in order.
final class JobLoop: Sendable {
    private let mailbox = BoundedQueue<JobMessage>(capacity: 65536)
    private let thread = Locked<Thread?>(nil)
    private let snapshot = Locked(Snapshot())

    /// A snapshot that other threads can read without waiting.
    struct Snapshot: Sendable {
        var progress: [JobID: JobProgress] = [:]
        var bits: [JobID: BitHistory] = [:]
        var storeFailure: StoreError?
        var activeJobs = 0
        /// Whether it is to stop. It may be waiting for the store, and then learns it from here.
        var isStopping = false
        var hasStopped = false
        /// Whether a new job would start soon.
        var hasRoom = false
        /// Whether another source can be fetched.
        var fetchesMore = true
        var devices: DeviceStatus?

        mutating func note(_ dispatcher: Dispatcher) {
            (hasRoom, fetchesMore) = (dispatcher.hasRoom, dispatcher.fetchesMore)
            devices = DeviceStatus(dispatcher)
        }
    }

    /// While the store or the cluster is away, the loop waits for it. Progress, which soon is out of date, then leaves
    /// half of the room to messages that must not get lost.
    func send(_ message: JobMessage) {
        if case .progress = message { _ = try? mailbox.offer(message) } else { try? mailbox.push(message) }
    }

    var current: Snapshot { snapshot.withLock { $0 } }

    func progress(of job: JobID) -> JobProgress? { snapshot.withLock { $0.progress[job] } }

    /// Returns the bit rates of a running job.
    func bitRates(of job: JobID) -> BitRates? { snapshot.withLock { $0.bits[job]?.rates } }

    /// Performs a user's request for a job.
    func command(_ id: JobID, _ event: JobEvent) throws(Problem) -> Job {
        if let failure = current.storeFailure { throw Problem(failure) }
        let answer = Answer<Result<Job, Problem>>()
        send(.command(id, event, answer))
        if let result = answer.wait(seconds: 30, unless: { current.hasStopped }) { return try result.get() }
        throw current.hasStopped ? .stopping : Problem(503, "service.busy", "the job could not be changed in time")
    }

    /// Returns the devices after all that was sent before. While the loop waits for its store, as they were last.
    func deviceStatus() -> DeviceStatus? {
        let isWaiting = { self.current.storeFailure != nil || self.current.hasStopped }
        if isWaiting() { return current.devices }
        let answer = Answer<DeviceStatus>()
        send(.askDevices(answer))
        return answer.wait(seconds: 10, unless: isWaiting) ?? (isWaiting() ? current.devices : nil)
    }

    /// Tests a device for a user. A driver that hangs is ended well before the timeout.
    ///
    /// - Returns: nil if the server stops.
    func test(_ device: DeviceName) -> DeviceTest? {
        guard !current.hasStopped else { return nil }
        let answer = Answer<DeviceTest>()
        send(.testDevice(device, answer))
        return answer.wait(seconds: 600, unless: { current.hasStopped })
    }

    /// - Parameter makeTurn: Creates the decision logic in the loop's thread.
    func start(_ makeTurn: @escaping @Sendable (Locked<Snapshot>) -> any LoopTurn) throws(SystemError) {
        let (mailbox, snapshot) = (mailbox, snapshot)
        let started = try Thread("vtx-jobs") {
            let turn = makeTurn(snapshot)
            turn.adopt()
            while !turn.isOver {
                var messages: [JobMessage] = []
                var seconds = turn.secondsToNextTick
                while messages.count < 256, let next = (try? mailbox.pop(timeoutSeconds: seconds)) ?? nil {
                    messages.append(next)
                    seconds = 0
                }
                turn.handle(messages)
            }
            snapshot.withLock { $0.hasStopped = true }
            mailbox.cancel()
        }
        thread.withLock { $0 = started }
    }

    /// Stops all jobs at their next checkpoint, and waits for that.
    func stop() {
        snapshot.withLock { $0.isStopping = true }
        send(.stop)
        thread.withLock { $0.take() }?.join()
    }
}

/// The handling of messages in the loop's thread.
protocol LoopTurn: AnyObject {
    var isOver: Bool { get }
    /// The time until the next tick if there is no message.
    var secondsToNextTick: Double { get }
    /// Takes over the jobs of an earlier server.
    func adopt()
    /// - Parameter messages: Empty for a tick.
    func handle(_ messages: [JobMessage])
}

/// A listener for transient events.
protocol TransientEventListener: Sendable { func publish(_ event: LoggedEvent) }

/// The claims of this host on jobs, if there are other hosts.
protocol JobClaims: Sendable {
    /// Whether this host still has the job.
    func holds(_ job: JobID) -> Bool
    /// Renews the claims. The loop that works on these jobs calls it periodically, which keeps them on this host.
    ///
    /// - Returns: jobs that another host has claimed and that the loop has released since.
    func keep(_ jobs: [Job]) -> Set<JobID>
}

/// A message to the job loop. Indirect, because the mailbox allocates space for many in advance.
indirect enum JobMessage: Sendable {
    case event(DispatchEvent)
    /// A job was added to the queue.
    case added(Job)
    /// A user's request; the answer is sent back.
    case command(JobID, JobEvent, Answer<Result<Job, Problem>>)
    /// A worker is about to rename an output, and waits until that has been announced and stored.
    case commit(JobID, JobResult, FileIdentity, OutputAnnouncement?, Answer<Bool>)
    /// A worker's progress.
    case progress(JobID, JobProgress)
    /// A worker's record and its position, which are stored together, so that no later server takes the record again.
    case taken(JobID, LoggedEvent?, RecordPosition)
    /// A transient event for current listeners.
    case publish(LoggedEvent)
    /// Renews the claims of a cluster's worker.
    case keepClaims
    /// News from a cluster.
    case news(ClusterNews)
    case askDevices(Answer<DeviceStatus>)
    /// Tests a device for a user; the result is sent back.
    case testDevice(DeviceName, Answer<DeviceTest>)
    case tested(DeviceName, DeviceTest)
    case stop
}

/// Registers an output that is about to get its name.
typealias OutputAnnouncement = @Sendable () throws(StoreError) -> Void

/// A value passed from one thread to another.
final class Answer<Value: Sendable>: Sendable {
    private let queue = BoundedQueue<Value>(capacity: 1)

    func give(_ value: Value) { try? queue.push(value) }

    /// - Parameter ends: Whether the other side has ended without an answer. Asked four times a second.
    func wait(seconds: Double, unless ends: () -> Bool) -> Value? {
        let deadline = MonotonicClock.seconds + seconds
        do {
            while MonotonicClock.seconds < deadline {
                if let value = try queue.pop(timeoutSeconds: 0.25) { return value }
                if ends() { return try queue.pop(timeoutSeconds: 0) }
            }
        } catch {}
        return nil
    }

    func cancel() { queue.cancel() }
}

/// Waits for a time.
enum Pause {
    static func seconds(_ seconds: Double) { _ = try? BoundedQueue<Void>(capacity: 1).pop(timeoutSeconds: seconds) }
}

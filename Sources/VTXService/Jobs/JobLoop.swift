import VTXCluster
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The one thread that decides about jobs: it feeds the dispatcher and carries out its actions, in their order.
final class JobLoop: Sendable {
    private let mailbox = BoundedQueue<JobMessage>(capacity: 65536)
    private let thread = Locked<Thread?>(nil)
    private let snapshot = Locked(Snapshot())

    /// What other threads may look at without waiting.
    struct Snapshot: Sendable {
        var progress: [JobID: JobProgress] = [:]
        var bits: [JobID: BitHistory] = [:]
        var storeFailure: StoreError?
        var activeJobs = 0
        var hasStopped = false
        /// Whether a job that comes now would start soon.
        var hasRoom = false
    }

    func send(_ message: JobMessage) { try? mailbox.push(message) }

    var current: Snapshot { snapshot.withLock { $0 } }

    func progress(of job: JobID) -> JobProgress? { snapshot.withLock { $0.progress[job] } }

    /// Of a job that is at work.
    func bitRates(of job: JobID) -> BitRates? { snapshot.withLock { $0.bits[job]?.rates } }

    /// A user asks something of a job.
    func command(_ id: JobID, _ event: JobEvent) throws(Problem) -> Job {
        let answer = Answer<Result<Job, Problem>>()
        send(.command(id, event, answer))
        guard let result = answer.wait(seconds: 30) else {
            throw Problem(503, "service.busy", "the job could not be changed in time")
        }
        return try result.get()
    }

    func deviceStatus() -> DeviceStatus? {
        let answer = Answer<DeviceStatus>()
        send(.askDevices(answer))
        return answer.wait(seconds: 10)
    }

    /// A user wants a device tested. A driver that hangs is ended long before the time is over.
    ///
    /// - Returns: nil where the server stops.
    func test(_ device: DeviceName) -> DeviceTest? {
        guard !current.hasStopped else { return nil }
        let answer = Answer<DeviceTest>()
        send(.testDevice(device, answer))
        return answer.wait(seconds: 600)
    }

    /// - Parameter makeTurn: makes what decides, in the loop's thread.
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

    /// Stops all that runs at its next checkpoint, and waits for that.
    func stop() {
        send(.stop)
        thread.withLock { $0.take() }?.join()
    }
}

extension JobWorkers {
    /// What has to be done for a job that no worker has.
    func perform(_ actions: [JobAction], for job: Job) {
        for action in actions {
            switch action {
            case .discardLeftovers: discard(job)
            case .endLeftWorker: endLeftWorker(job)
            case .ended: ended(job)
            case .stopWorker: break
            }
        }
    }
}

/// What the loop's thread does with messages.
protocol LoopTurn: AnyObject {
    var isOver: Bool { get }
    /// When to look again although nothing is told.
    var secondsToNextTick: Double { get }
    /// Takes over what an earlier server was working on.
    func adopt()
    /// - Parameter messages: none when it is only time to look.
    func handle(_ messages: [JobMessage])
}

/// Is told of what is true for a moment only.
protocol MomentListener: Sendable { func publish(_ event: LoggedEvent) }

/// Which jobs this host may work on, where there are others.
protocol JobClaims: Sendable {
    /// False once another host has the job.
    func holds(_ job: JobID) -> Bool
    /// Called from time to time by the loop that works on these jobs: as long as it is, they stay this host's.
    ///
    /// - Returns: jobs that are another host's and that the loop has released since.
    func keep(_ jobs: [Job]) -> Set<JobID>
}

/// Carries out the dispatcher's actions on workers.
protocol JobWorkers: Sendable {
    func plan(_ job: Job)
    func run(_ job: Job, _ devices: [Stage: DeviceName])
    func stop(_ id: JobID, _ reason: StopReason)
    /// Ends a worker that did not stop by itself.
    func kill(_ id: JobID)
    func selfTest(_ device: DeviceName)
    func discard(_ job: Job)
    func endLeftWorker(_ job: Job)
    func ended(_ job: Job)
    /// Removes what jobs have left that only this host sees.
    ///
    /// - Parameters:
    ///   - lost: other hosts have them now.
    ///   - jobs: are in hand. Of the rest, what is a day old is removed: they were stopped, and went on elsewhere.
    func removeLeftovers(of lost: Set<JobID>, except jobs: Set<JobID>)
    /// A job has ended on another host: those who wait for that are told.
    func announceEnd(of job: Job)
    /// Whether an output that a killed server was about to name has its name, or gets it now.
    func completeCommit(_ job: Job) -> JobResult?
}

/// What the job loop is told. Indirect: the mailbox has room for many from the start.
indirect enum JobMessage: Sendable {
    case event(DispatchEvent)
    /// A job of this rank was added to the queue.
    case added(JobID, rank: Int)
    /// A user asks for something; the answer goes back.
    case command(JobID, JobEvent, Answer<Result<Job, Problem>>)
    /// A worker is about to give an output its name; it goes on when that is written down.
    case commit(JobID, JobResult, FileIdentity, Answer<Bool>)
    /// A worker tells how far it is.
    case progress(JobID, JobProgress)
    /// A record of a worker, and up to where its records are taken with it: written down together, so that no later server
    /// takes it once more.
    case taken(JobID, LoggedEvent?, RecordPosition)
    /// For those who listen now; it is not kept.
    case publish(LoggedEvent)
    /// It is time to keep the claims of a cluster's worker.
    case keepClaims
    /// Something has come from a cluster.
    case news(ClusterNews)
    case askDevices(Answer<DeviceStatus>)
    /// A user wants a device tested; how it did goes back.
    case testDevice(DeviceName, Answer<DeviceTest>)
    case tested(DeviceName, DeviceTest)
    case stop
}

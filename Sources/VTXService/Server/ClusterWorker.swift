import Glibc
import VTXCluster
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
import VTXSystem

/// A worker of a cluster: it claims jobs and runs them on this host's devices, as a standalone server does. What it
/// needs to resume is next to the outputs.
package final class ClusterWorker: Sendable {
    package struct Settings: Sendable {
        package var version: String
        package var servers: [String]
        /// The directory of the worker's own files.
        package var state: String
        package var roots: [String]
        package var urls = URLRules()
        package var inputLimit: Int64 = 100_000_000_000
        /// Whether jobs may replace their sources.
        package var mayReplaceSources = false

        package init(version: String, servers: [String], state: String, roots: [String]) {
            (self.version, self.servers, self.state, self.roots) = (version, servers, state, roots)
        }
    }

    private let state: StateDirectory
    private let store: SQLiteStore
    private let cluster: Cluster
    private let outbox: ClusterOutbox
    private let jobs: ClaimedJobs
    private let loop = JobLoop()
    private let pool: WorkerPool
    private let catalog: DeviceCatalog
    private let claims = Locked<ClaimLoop?>(nil)
    private let answers = Locked<DeviceAnswers?>(nil)
    private let name = "\(Host.name)/\(getpid())"
    private let version: String

    /// - Throws: `SystemError`, `StoreError`, `NATSError`, or `Problem` for roots.
    package init(_ settings: Settings, runner makeRunner: (_ directory: String) -> any JobRunner) throws {
        version = settings.version
        state = try StateDirectory(settings.state)
        store = try SQLiteStore(path: "\(state.path)/vtx.db")
        cluster = try Cluster(servers: settings.servers, name: "vtx worker \(name)")
        outbox = ClusterOutbox(cluster)
        let loop = loop
        let workers = Locked<WorkerPool?>(nil)
        jobs = ClaimedJobs(cluster, store, outbox) { id, news in
            switch news {
            case .lost: loop.send(.event(.revoke(id)))
            case .asked(let event): loop.send(.command(id, event, Answer()))
            case .ended(let job, let actions): workers.withLock { $0 }?.perform(actions, for: job)
            }
        }
        let runner = makeRunner("\(state.path)/work")
        let uploads = Uploads("\(state.path)/uploads", store, limit: settings.inputLimit)
        let files = JobFiles(
            try Roots(settings.roots, private: state.path), uploads, state: state.path,
            mayReplaceSources: settings.mayReplaceSources)
        pool = WorkerPool(
            runner, files, URLTransfer(settings.urls, limit: settings.inputLimit), nil, loop, jobs,
            ClusterOutputs(cluster: cluster), segments: ClusterSegments(cluster: cluster)
        ) { [cluster] thumbnail, bytes, job in
            // A thumbnail may arrive late or get lost.
            try? cluster.publishPicture(bytes, thumbnail.rawValue, of: job)
        }
        workers.withLock { [pool] in $0 = pool }
        catalog = DeviceCatalog(runner)
    }

    package var roots: [String] { pool.files.roots.paths }

    package func start() throws {
        catalog.probe()
        let dispatcher = Dispatcher.of(catalog.usable, store, worker: name, isAlone: false)
        let (store, outbox, pool, claims) = (jobs, outbox, pool, jobs)
        try loop.start { snapshot in
            JobTurn(dispatcher, store, outbox, pool, Metrics(), snapshot, claims: claims)
        }
        try outbox.start()
        let started = ClaimLoop(
            cluster, jobs, loop, pool, worker: name, hasGPU: catalog.usable.contains { $0.name != .cpu }
        ) { [self] in report }
        try started.start()
        self.claims.withLock { $0 = started }
        try startAnswers()
        ServiceManager.isReady()
    }

    private func startAnswers() throws {
        let control = DeviceControl(loop: loop, catalog: catalog)
        let started = DeviceAnswers(cluster, worker: name, control) { [self] in
            if let report { try? cluster.put(worker: Cluster.key(ofWorker: name), report) }
        }
        try started.start()
        answers.withLock { $0 = started }
    }

    /// The report for `vtx-workers`. A loop that hangs reports nothing.
    private var report: JSONValue? {
        let status = loop.deviceStatus()
        // A loop that waits for NATS is alive.
        if status != nil || loop.current.storeFailure != nil { ServiceManager.isAlive() }
        guard let status else { return nil }
        return .object([
            "worker": .string(name), "host": .string(Host.name), "version": .string(version),
            "time": .time(.now), "jobs": .array(jobs.heldJobs.map { .string($0.text) }),
            "devices": .array(catalog.json(status)),
        ])
    }

    /// Stops the running jobs at their next checkpoint and releases them.
    package func stop() {
        ServiceManager.isStopping()
        // The loop may be waiting for NATS.
        jobs.close()
        answers.withLock { $0.take() }?.stop()
        claims.withLock { $0.take() }?.stop()
        loop.stop()
        outbox.stop()
        store.close()
    }
}

extension Dispatcher {
    /// Creates a dispatcher with what was learned about these devices.
    static func of(
        _ devices: [Device], _ records: any RecordStore, worker: String, isAlone: Bool = true
    ) -> Dispatcher {
        let speeds: SpeedTable? = try? records.record(RecordCollections.scheduling, "speeds")?.decoded()
        var health: [DeviceName: DeviceHealth] = [:]
        for device in devices where device.name != .cpu {
            let kept: DeviceHealth? = try? records.record(RecordCollections.devices, device.name.text)?.decoded()
            health[device.name] = kept ?? DeviceHealth()
        }
        return Dispatcher(
            worker: worker, scheduler: Scheduler(devices: devices, speeds: speeds ?? SpeedTable()), health: health,
            isAlone: isAlone)
    }
}

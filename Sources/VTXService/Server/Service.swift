import Glibc
import VTXCluster
package import VTXHTTP
import VTXJSON
import VTXJobs
import VTXStore
package import VTXSystem

/// The transcoding service: accepts jobs over HTTP, stores them in SQLite, and runs them on workers of this host or of
/// a cluster.
package final class Service: Sendable {
    package struct Settings: Sendable {
        package var version: String
        package var listen: ListenAddress
        /// The state directory of `vtx serve`.
        package var state: String
        package var roots: [String]
        /// A token with all permissions; nil for none.
        package var token: String?
        /// The allowed URLs of sources, outputs and callbacks.
        package var urls = URLRules()
        /// The maximum size of a source that the service has to store, uploaded or fetched, in bytes.
        package var inputLimit: Int64 = 100_000_000_000
        /// The file with the secret that signs callbacks; nil for one in the state directory.
        package var callbackSecretFile: String?
        /// The names by which clients may address this host, besides its IP addresses.
        package var hostNames: [String] = []
        /// nil for plain HTTP.
        package var tls: HTTPServer.TLS?
        /// The URLs of NATS servers if workers on other hosts run the jobs; empty for this host only.
        package var cluster: [String] = []
        /// Whether jobs may replace their sources.
        package var mayReplaceSources = false
        /// A directory shared by all hosts of the cluster; nil if the service accepts no uploads.
        package var shared: String?

        package init(version: String, listen: ListenAddress, state: String, roots: [String], token: String?) {
            (self.version, self.listen, self.state, self.roots, self.token) = (version, listen, state, roots, token)
        }
    }

    private let state: StateDirectory
    let store: SQLiteStore
    private let hub: EventHub
    private let loop: JobLoop
    let pool: WorkerPool
    private let callbacks: Callbacks
    private let folders: WatchFolders
    private let catalog: DeviceCatalog
    private let metrics = Metrics()
    let member: ClusterMember?
    private let inbox: ClusterInbox?
    private let submission: JobSubmission
    private let tokens: Tokens
    private let settings: Settings
    private let listener: Locked<Int32>
    private let tls: HTTPServer.TLS?
    private let server = Locked<HTTPServer?>(nil)
    private let housekeeping = BoundedQueue<Void>(capacity: 1)
    /// The actual port.
    package let port: UInt16

    /// Opens everything without starting.
    ///
    /// - Parameter makeRunner: Creates the runner of media work, which may keep small files in the directory.
    /// - Throws: `SystemError`, `StoreError`, or `Problem` for tokens.
    package init(_ settings: Settings, runner makeRunner: (_ directory: String) -> any JobRunner) throws {
        state = try StateDirectory(settings.state)
        let descriptor = try settings.listen.listen()
        port = ListenAddress.port(of: descriptor)
        listener = Locked(descriptor.release())
        store = try SQLiteStore(path: "\(state.path)/vtx.db")
        hub = EventHub(store)
        hub.start()
        loop = JobLoop()
        let runner = makeRunner("\(state.path)/work")
        member = try Self.member(settings, store)
        let files = try Self.files(settings, state: state.path, store, member)
        if settings.callbackSecretFile == nil { PrivateFile.close("\(state.path)/callback-secret") }
        let secret = try CallbackSecret(file: settings.callbackSecretFile ?? "\(state.path)/callback-secret")
        callbacks = Callbacks(settings.urls, secret, store)
        let outputs = Self.outputs(store, member)
        pool = WorkerPool(
            runner, files, URLTransfer(settings.urls, limit: settings.inputLimit), callbacks, loop, store, outputs)
        catalog = DeviceCatalog(runner)
        inbox = member.map { [loop] in ClusterInbox($0.cluster, server: $0.server, loop) }
        tls = try Self.checked(settings.tls)
        tokens = try Self.tokens(settings, store)
        submission = JobSubmission(store, files, settings.urls, loop, member: member)
        folders = try WatchFolders(store, outputs, files.roots, submission)
        self.settings = settings
    }

    private func makeHandler() -> ServiceHandler {
        let files = pool.files
        let tickets = DownloadTickets(store)
        let jobs = JobOperations(
            store: store, submission: submission, loop: loop, hub: hub, files: files, tickets: tickets
        ).all
        let plans = PlanOperations(submission: submission, pool: pool).all
        let records = PresetOperations(records: store).all + WatchFolderOperations(folders: folders).all
        let others = UploadOperations(uploads: files.uploads).all + TokenOperations(tokens: tokens).all
        let devices = DeviceOperations(
            control: DeviceControl(loop: loop, catalog: catalog),
            cluster: member.map { ClusterDevices(cluster: $0.cluster) }
        ).all
        let service = ServiceOperations(
            version: settings.version, store: store, loop: loop, hub: hub, catalog: catalog, metrics: metrics,
            cluster: member?.cluster)
        let gate = Gate(
            tokens: tokens, isLoopback: settings.listen.isLoopback, hostNames: Set(settings.hostNames),
            knowsCertificates: tls?.clientAuthorities != nil)
        return ServiceHandler(
            service.completing(jobs + plans + records + others + devices), gate, AuditLog("\(state.path)/audit.log"),
            metrics)
    }

    private static func checked(_ tls: HTTPServer.TLS?) throws -> HTTPServer.TLS? {
        if let tls, !tls.isUsable {
            throw Problem(400, "tls.certificate", "the certificate and its key cannot be used together")
        }
        if let tls, !tls.hasAuthorities {
            throw Problem(400, "tls.authorities", "the file of client authorities has no certificate in PEM")
        }
        return tls
    }

    private static func tokens(_ settings: Settings, _ store: SQLiteStore) throws -> Tokens {
        let tokens = try Tokens(store)
        if let token = settings.token {
            try tokens.add(Tokens.ofServer, .admin, secret: token, at: .now)
        } else {
            _ = try tokens.remove(Tokens.ofServer)
        }
        guard settings.listen.isLoopback || !tokens.isEmpty || settings.tls?.clientAuthorities != nil else {
            throw Problem(
                400, "token.missing", "other hosts can reach '\(settings.listen)', which requires a token")
        }
        return tokens
    }

    package var roots: [String] { pool.files.roots.paths }

    /// Takes over the jobs of the previous server, and serves.
    package func start() throws {
        try startLoop()
        try callbacks.start()
        try folders.start()
        let number = listener.withLock { listener in
            defer { listener = -1 }
            return listener
        }
        var serving = HTTPServer.Settings()
        serving.tls = tls
        let started = try HTTPServer(FileDescriptor(owning: number), serving, makeHandler())
        server.withLock { $0 = started }
        try startKeeper()
        ServiceManager.isReady()
    }

    /// Starts the periodic maintenance.
    private func startKeeper() throws {
        let (hub, housekeeping, loop) = (hub, housekeeping, loop)
        let retention = try startRetention()
        try Thread("vtx-keeper") {
            var rounds = 0
            do {
                while true {
                    _ = try housekeeping.pop(timeoutSeconds: 15)
                    hub.ping()
                    // A full disk is waited for.
                    if loop.current.storeFailure != nil || loop.deviceStatus() != nil { ServiceManager.isAlive() }
                    rounds += 1
                    if rounds % 240 == 1 { _ = try? retention.pushReplacingOldest(()) }
                }
            } catch {}
            retention.finish()
        }.detach()
    }

    /// Starts the job loop, for this host's devices or for the cluster.
    private func startLoop() throws {
        let (store, hub, pool, metrics) = (store, hub, pool, metrics)
        if let member, let inbox {
            try loop.start { snapshot in ClusterTurn(member, store, hub, pool, metrics, snapshot) }
            return try inbox.start()
        }
        catalog.probe()
        let dispatcher = Dispatcher.of(catalog.usable, store, worker: "\(Host.name)/\(getpid())")
        try loop.start { snapshot in JobTurn(dispatcher, store, hub, pool, metrics, snapshot) }
    }

    private static func files(
        _ settings: Settings, state: String, _ store: SQLiteStore, _ member: ClusterMember?
    ) throws -> JobFiles {
        let roots = try Roots(settings.roots, private: state)
        let shared = try Self.shared(settings, roots, member)
        let uploads = Uploads("\(shared ?? state)/uploads", store, limit: settings.inputLimit)
        return JobFiles(
            roots, uploads, state: state, shared: shared, mayReplaceSources: settings.mayReplaceSources)
    }

    /// Returns the server's directory in the directory shared by all hosts. It is hidden, so that no watch folder takes
    /// uploads.
    private static func shared(_ settings: Settings, _ roots: Roots, _ member: ClusterMember?) throws -> String? {
        guard let member, let shared = settings.shared else { return nil }
        let directory = try roots.directory(shared).path
        let folders = ["outputs", "sources", "uploads"]
        return try StateDirectory.make("\(directory)/.vtx-\(member.server)", folders: folders)
    }

    private static func outputs(_ store: SQLiteStore, _ member: ClusterMember?) -> any OutputRegistry {
        let local = LocalOutputs(records: store)
        return member.map { ClusterOutputs(cluster: $0.cluster, earlier: local) } ?? local
    }

    private static func member(_ settings: Settings, _ store: SQLiteStore) throws -> ClusterMember? {
        let known = try store.record(RecordCollections.cluster, "server")?.string
        guard !settings.cluster.isEmpty else {
            if known != nil, try !store.list(JobQuery(states: JobState.unfinished, limit: 1)).jobs.isEmpty {
                throw Problem(400, "cluster.state", "'\(settings.state)' has jobs of a cluster")
            }
            return nil
        }
        var generator = SystemRandomNumberGenerator()
        let server = known ?? JobID(using: &generator).text
        try store.put(.string(server), RecordCollections.cluster, "server")
        let cluster = try Cluster(servers: settings.cluster, name: "vtx serve \(Host.name)/\(getpid())")
        return ClusterMember(cluster: cluster, server: server)
    }

    /// Stops the workers, then the server. The next server continues their jobs.
    package func stop() {
        ServiceManager.isStopping()
        folders.stop()
        inbox?.stop()
        loop.stop()
        callbacks.stop()
        hub.endAll()
        housekeeping.cancel()
        server.withLock { $0.take() }?.stop()
        store.close()
    }
}

import VTXCluster
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The operations on the service itself.
struct ServiceOperations: Sendable {
    let version: String
    let store: any JobStore
    let loop: JobLoop
    let hub: EventHub
    let catalog: DeviceCatalog
    let metrics: Metrics
    /// nil for a single host.
    let cluster: Cluster?
    /// The description of all operations, including the one that returns it.
    private let document = Locked<JSONValue>(.null)

    init(
        version: String, store: any JobStore, loop: JobLoop, hub: EventHub, catalog: DeviceCatalog, metrics: Metrics,
        cluster: Cluster? = nil
    ) {
        (self.version, self.store, self.loop, self.hub) = (version, store, loop, hub)
        (self.catalog, self.metrics, self.cluster) = (catalog, metrics, cluster)
    }

    /// Returns the complete API: the given operations and those of the service itself.
    func completing(_ others: [Operation]) -> [Operation] {
        let all = others + [health, readiness, numbers, openAPI] + Dashboard.operations
        document.withLock { $0 = OpenAPIDocument.json(all, version: version) }
        return all
    }

    private static let status = Schema.object(
        .init([.init("status", .string(), "`ok`, or the problem.", required: true)], isOpen: true))

    private var health: Operation {
        Operation(
            id: "health", method: "GET", path: "/healthz", tag: "service", summary: "Whether the server is alive",
            responses: [.init(status: 200, description: "It is.", schema: Self.status)]
        ) { _ in .json(["status": "ok", "version": .string(version)]) }
    }

    private var readiness: Operation {
        Operation(
            id: "readiness", method: "GET", path: "/readyz", tag: "service",
            summary: "Whether the server accepts jobs",
            responses: [
                .init(status: 200, description: "It can.", schema: Self.status),
                .init(status: 503, description: "It cannot.", type: Problem.contentType, schema: Problem.schema),
            ]
        ) { _ in
            if let failure = loop.current.storeFailure {
                throw Problem(503, "store.\(failure.kind.rawValue)", "\(failure)")
            }
            if loop.current.hasStopped { throw Problem(503, "service.stopping", "the server is stopping") }
            let devices = catalog.all.map { JSONValue.string($0.device.name.text) }
            // Without its cluster a server takes jobs all the same, and hands them over later.
            return .json(
                .members([
                    "status": "ok", "activeJobs": .integer(Int64(loop.current.activeJobs)),
                    "devices": .array(devices),
                    "cluster": cluster.map { $0.isConnected ? "connected" : "unreachable" } ?? .null,
                ]))
        }
    }

    private var numbers: Operation {
        Operation(
            id: "metrics", method: "GET", path: "/metrics", tag: "service", summary: "Metrics for Prometheus",
            scope: .read,
            responses: [.init(status: 200, description: "Text format 0.0.4.", type: "text/plain")]
        ) { _ in
            let text = metrics.text(try gauges())
            return HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", text)
        }
    }

    private typealias Gauges = [(
        family: Metrics.Family, values: [(labels: KeyValuePairs<String, String>, value: Double)]
    )]

    private func gauges() throws -> Gauges {
        let counts = try store.counts()
        let health = loop.deviceStatus()?.health ?? [:]
        return [
            (.init(name: "vtx_build_info", kind: .gauge, help: "The running version."), [(["version": version], 1)]),
            (
                .init(name: "vtx_jobs", kind: .gauge, help: "Jobs in the store, by state."),
                JobState.allCases.map { (["state": $0.rawValue], Double(counts[$0] ?? 0)) }
            ),
            (
                .init(name: "vtx_gpu_quarantined", kind: .gauge, help: "Whether a GPU gets no jobs."),
                health.sorted { $0.key < $1.key }.map { (["device": $0.key.text], $0.value.state.takesJobs ? 0 : 1) }
            ),
            (
                .init(name: "vtx_event_listeners", kind: .gauge, help: "Clients following events."),
                [([:], Double(hub.count))]
            ),
        ]
    }

    private var openAPI: Operation {
        Operation(
            id: "openAPI", method: "GET", path: "/openapi.json", tag: "service", summary: "This document",
            responses: [.init(status: 200, description: "OpenAPI 3.1.", schema: .object(.init([], isOpen: true)))]
        ) { _ in .json(document.withLock { $0 }) }
    }
}

/// The operations for plans: what a job would do, without doing it.
struct PlanOperations: Sendable {
    let submission: JobSubmission
    let pool: WorkerPool

    var all: [Operation] { [plan] }

    private var plan: Operation {
        Operation(
            id: "plan", method: "POST", path: "/v1/plan", tag: "jobs",
            summary: "Preview how a source would be transcoded, and why",
            description: "The plan of a job with this request. Nothing is written.", scope: .submit,
            body: .json(JobSpecification.planSchema),
            responses: [
                .init(status: 200, description: "The plan.", schema: .object(.init([], isOpen: true))),
                .init(
                    status: 422, description: "The job would fail.", type: Problem.contentType,
                    schema: Problem.schema),
            ], lane: .slow
        ) { call in .json(try pool.preview(try submission.specification(call.body))) }
    }
}

extension Problem {
    /// Creates the error for a plan that cannot be made.
    init(_ failure: Failure) {
        let status = [.worker, .device, .busy, .network].contains(failure.category) ? 503 : 422
        self.init(status, failure.code, failure.message, hint: failure.hint)
    }
}

import CSystem
import Glibc
import VTXCluster
import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// Accepts jobs: validates the request, stores the job, and notifies the loop.
final class JobSubmission: Sendable {
    private let store: any JobStore
    let files: JobFiles
    let presets: Presets
    private let rules: URLRules
    private let loop: JobLoop
    /// Set if other hosts do the work, which cannot access this host's own files.
    private let member: ClusterMember?

    init(
        _ store: any JobStore & RecordStore, _ files: JobFiles, _ rules: URLRules, _ loop: JobLoop,
        member: ClusterMember? = nil
    ) {
        self.member = member
        self.store = store
        self.files = files
        self.rules = rules
        self.loop = loop
        presets = Presets(records: store)
    }

    /// - Parameters:
    ///   - body: Valid according to the schema.
    ///   - key: The client's idempotency key: the same key with the same request is the same job.
    /// - Returns: the job, and whether it is new.
    func submit(_ body: JSONValue, key: String?) throws -> (job: Job, isNew: Bool) {
        let key = key.map { IdempotencyKey(key: $0, digest: SHA256.hexadecimal(body.text.utf8)) }
        // A request that was taken stays so: its source may be gone by now.
        if let key, let known = try known(store.added(by: key) ?? member?.added(by: key)) { return known }
        return try add(try specification(body), key: key)
    }

    /// Returns the specification of a request, including the settings of its preset.
    ///
    /// - Parameter checksUpload: Whether an upload has to be there.
    func specification(_ body: JSONValue, checksUpload: Bool = true) throws -> JobSpecification {
        var specification: JobSpecification = try body.decoded()
        if let upload = specification.input.upload {
            specification.input.uploadName = try? files.uploads.upload(upload).name
        }
        let output = specification.output
        if member != nil, specification.input.path == nil || output?.url != nil { specification.shared = files.shared }
        specification.settings = try presets.settings(
            specification.settings, preset: specification.preset, output: output?.path ?? output?.url)
        try check(specification)
        if checksUpload, let upload = specification.input.upload { try check(upload: upload) }
        return specification
    }

    /// - Parameter rule: That of the watch folder, which the job keeps: the folder may be changed or removed meanwhile.
    func add(
        _ specification: JobSpecification, key: IdempotencyKey?, watchFolder: String? = nil, rule: SkipRule? = nil
    ) throws -> (job: Job, isNew: Bool) {
        let job = Job(
            id: id(key), specification, at: .now, watchFolder: watchFolder, skipRule: rule,
            origin: member.map { JobOrigin(server: $0.server, key: key) })
        let event = JobRecord.event(of: job, at: job.createdAt)
        let added = try store.add(job, key: key, [event])
        if let known = try known(added) { return known }
        loop.send(.added(job))
        return (job, true)
    }

    private func id(_ key: IdempotencyKey?) -> JobID {
        if member != nil, let key { return JobID(of: key) }
        var generator = SystemRandomNumberGenerator()
        return JobID(using: &generator)
    }

    /// - Returns: nil for a new job.
    private func known(_ added: Added?) throws -> (job: Job, isNew: Bool)? {
        switch added {
        case .existing(let job): return (job, false)
        case .conflict:
            throw Problem(
                422, "job.keyReused", "the key was used for another request",
                hint: "another job needs another Idempotency-Key")
        case .new, nil: return nil
        }
    }

    /// Checks early whatever can be checked. Everything is checked again when the job runs.
    private func check(_ specification: JobSpecification) throws {
        try files.checkReplacement(specification)
        if member != nil { try checkForCluster(specification) }
        if let path = specification.input.path { _ = try files.roots.source(path) }
        _ = try files.resolvingFiles(in: specification.settings)
        if let url = specification.input.url { _ = try rules.check(url, "source") }
        if let url = specification.output?.url { try check(output: url, specification) }
        if let url = specification.callback?.url { _ = try rules.check(url, "callback") }
        if let path = specification.output?.directory { _ = try files.roots.directory(path) }
        if let path = specification.output?.path {
            let place = try files.roots.place(path)
            guard !place.parent.name.isEmpty else { throw Problem(422, "path.kind", "'\(path)' is not a file name") }
            _ = try files.roots.directory(place.parent.directory.path)
            try check(place, writtenAs: path, specification.outputForm)
        }
    }

    private func checkForCluster(_ specification: JobSpecification) throws(Problem) {
        guard files.shared == nil else { return }
        if specification.input.upload != nil {
            throw Problem(
                422, "cluster.upload", "this cluster's workers cannot access uploads",
                hint: "name a path on the shared storage, or a URL; the server's option 'shared' enables uploads")
        }
        if specification.input.path == nil, specification.output == nil {
            throw Problem(
                422, "cluster.output", "this cluster keeps no outputs for download",
                hint: "name an output on the shared storage, or a URL; the server's option 'shared' enables "
                    + "downloads")
        }
    }

    private func check(output url: String, _ specification: JobSpecification) throws(Problem) {
        guard specification.outputForm == .file else {
            throw Problem(
                422, "output.directory", "a ladder is a directory of files, which cannot be sent to one URL",
                hint: "without an output, or with a path, its files are at /v1/jobs/{id}/output")
        }
        _ = try rules.check(url, "output")
    }

    /// Checks that a path names a file if the output is one.
    private func check(_ place: Roots.Place, writtenAs path: String, _ form: OutputPlace.Form) throws(Problem) {
        let isDirectory = path.hasSuffix("/") || (try? place.open(O_PATH).status?.kind) == .directory
        guard form == .file, isDirectory else { return }
        throw Problem(
            422, "path.kind", "'\(path)' is a directory, but the output is a file",
            hint: "name a file; 'output.directory' takes a directory, and the service chooses the name")
    }

    /// Checks an upload. An error is one of the request's content, not of its URL.
    private func check(upload: String) throws {
        do { _ = try files.uploads.completePath(upload) } catch var problem as Problem {
            problem.status = 422
            throw problem
        }
    }
}

extension JobSpecification {
    /// The schema of a request.
    static var schema: Schema {
        let url = Schema.url
        let label = Schema.StringRule(1...128)
        let priorities = Int64(priorities.lowerBound)...Int64(priorities.upperBound)
        return .named(
            "JobRequest",
            .object(
                .init(
                    work + [
                        .init("priority", .integer(priorities), "Higher runs sooner.", default: 0),
                        .init("labels", .map(of: .string(label), max: 32, names: label), "Labels to find the job by."),
                        .init(
                            "callback", .object(.init([.init("url", url, "Receives a POST.", required: true)])),
                            "Called when the job ends."),
                        .init(
                            "realTime", .boolean,
                            "Reserve engine time so that the job keeps up with real time.", default: false),
                    ])))
    }

    /// The schema of a plan request.
    static var planSchema: Schema { .named("PlanRequest", .object(.init(work))) }

    private static var work: [Schema.Member] {
        let path = Schema.path
        let url = Schema.url
        let input = Schema.object(
            .init(
                [
                    .init("path", path, "An absolute path below a root of the service."),
                    .init("upload", .string(.init(1...64)), "The ID of a complete upload."),
                    .init("url", url, "The URL to fetch it from, on an allowed host."),
                ], exactlyOne: true))
        let output = Schema.object(
            .init(
                [
                    .init(
                        "path", path,
                        "An absolute path below a root of the service. The extension of a file chooses its container; "
                            + "a ladder is a directory."),
                    .init(
                        "directory", path, "An absolute path below a root. The service chooses the output's name in it."
                    ),
                    .init("url", url, "The URL to PUT it to, such as a presigned URL."),
                ], exactlyOne: true))
        return [
            .init("input", input, "The source.", required: true),
            .init(
                "output", output,
                "The output: a file, or for a ladder (`hls`, `dash`, `ladder`) a directory. By default it is next to the source, "
                    + "or a download if the source is not a path."),
            .init("preset", .string(RecordName.rule), "Settings by name. `settings` take precedence."),
            .init("settings", .settings, "How to encode."),
        ]
    }
}

/// A server as a member of its cluster.
struct ClusterMember: Sendable {
    let cluster: Cluster
    /// The name of the server in the cluster, as long as it keeps its state.
    let server: String

    /// Returns the job of a request that a server of the cluster has accepted before; nil for a new request, and while
    /// no NATS server is reachable.
    func added(by key: IdempotencyKey) -> Added? {
        (try? cluster.record(JobID(of: key)))?.record.job.added(by: key)
    }
}

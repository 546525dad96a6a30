import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// What clients can do with jobs.
struct JobOperations: Sendable {
    let store: any JobStore & RecordStore
    let submission: JobSubmission
    let loop: JobLoop
    let hub: EventHub
    let files: JobFiles

    var all: [Operation] {
        [submit, list, get, cancel] + commands + [prioritize] + documents + [output, thumbnail, bitRate] + events
    }

    private var id: Operation.Parameter {
        .init(
            name: "id", place: .path,
            schema: .string(.init(JobID.length...JobID.length, accepts: { JobID($0) != nil })),
            description: "The job's id.",
            isRequired: true)
    }

    private static let job = Operation.Response(status: 200, description: "The job.", schema: JobRecord.schema)
    private static let missing = Operation.Response(
        status: 404, description: "There is none.", type: Problem.contentType, schema: Problem.schema)
    private static let conflict = Operation.Response(
        status: 409, description: "The job's state does not allow that.", type: Problem.contentType,
        schema: Problem.schema)

    private func found(_ call: Call) throws -> Job {
        guard let id = JobID(call["id"]), let job = try store.job(id) else { throw Problem.notFound("job", call["id"]) }
        return job
    }

    private func response(_ job: Job, _ status: Int = 200, headers: [(name: String, value: String)] = [])
        -> HTTPResponse
    {
        HTTPResponse(status, "application/json", record(job).text, headers: headers)
    }

    private func record(_ job: Job) -> JSONValue {
        JobRecord.json(job, loop.progress(of: job.id), files.thumbnails(of: job.id))
    }

    // MARK: Submitting and finding

    private var submit: Operation {
        Operation(
            id: "submitJob", method: "POST", path: "/v1/jobs", tag: "jobs", summary: "Submit a job", scope: .submit,
            parameters: [
                .init(
                    name: "Idempotency-Key", place: .header, schema: .string(.init(1...128)),
                    description: "The same key with the same request is the same job, however often it is sent.")
            ],
            body: .json(JobSpecification.schema),
            responses: [
                .init(
                    status: 201, description: "The job was added.", schema: JobRecord.schema,
                    headers: ["Location": "The job's URL."]),
                .init(status: 200, description: "The key was known: this is its job.", schema: JobRecord.schema),
            ]
        ) { call in
            let (job, isNew) = try submission.submit(call.body, key: call.request.header("idempotency-key"))
            return response(job, isNew ? 201 : 200, headers: [("Location", "/v1/jobs/\(job.id)")])
        }
    }

    private var list: Operation {
        let page = Schema.object(
            .init([
                .init("jobs", .array(of: JobRecord.schema, max: 1000), "The newest first.", required: true),
                .init("cursor", .string(), "For the next page; missing at the end."),
            ]))
        return Operation(
            id: "listJobs", method: "GET", path: "/v1/jobs", tag: "jobs", summary: "List jobs, the newest first",
            scope: .read, parameters: Self.queryParameters,
            responses: [.init(status: 200, description: "A page.", schema: .named("JobPage", page))]
        ) { call in
            let page = try store.list(query(call))
            return .json(
                .members(["jobs": .array(page.jobs.map(record)), "cursor": .text(page.cursor.map { String($0) })]))
        }
    }

    private static var queryParameters: [Operation.Parameter] {
        let label = Schema.StringRule(2...300, pattern: "^[^=]+=", accepts: { $0.first != "=" && $0.contains("=") })
        return [
            .init(
                name: "state", place: .query, schema: .string(.init(words: JobState.allCases.map(\.rawValue))),
                description: "Jobs in this state.", repeats: true),
            .init(
                name: "label", place: .query, schema: .string(label),
                description: "Jobs with this label: `name=value`.", repeats: true),
            .init(
                name: "cursor", place: .query, schema: .string(.init(1...20, accepts: { Int64($0) != nil })),
                description: "Where the page before ended."),
            .init(name: "limit", place: .query, schema: .integer(1...500), description: "Jobs on a page."),
        ]
    }

    private func query(_ call: Call) -> JobQuery {
        let labels = call.texts("label").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        }
        return JobQuery(
            states: Set(call.texts("state").compactMap(JobState.init)),
            labels: Dictionary(labels.map { ($0[0], $0[1]) }) { _, last in last },
            cursor: call.text("cursor").flatMap { Int64($0) }, limit: Int(call.integer("limit") ?? 50))
    }

    private var get: Operation {
        Operation(
            id: "getJob", method: "GET", path: "/v1/jobs/{id}", tag: "jobs", summary: "Get a job", scope: .read,
            parameters: [id],
            responses: [Self.job, Self.missing]
        ) { call in response(try found(call)) }
    }

    // MARK: Changing

    private var cancel: Operation {
        command(
            "cancelJob", "DELETE", "", "Cancel a job", .cancel, "An active job ends at once; its partial output goes.")
    }

    private var commands: [Operation] {
        [
            command("pauseJob", "POST", "/pause", "Pause a job", .pause, "A worker that is at it ends."),
            command("resumeJob", "POST", "/resume", "Resume a paused job", .resume),
            command("retryJob", "POST", "/retry", "Try a job again that has ended without an output", .retry),
        ]
    }

    private func command(
        _ name: String, _ method: String, _ suffix: String, _ summary: String, _ event: JobEvent,
        _ description: String = ""
    ) -> Operation {
        Operation(
            id: name, method: method, path: "/v1/jobs/{id}" + suffix, tag: "jobs", summary: summary,
            description: description,
            scope: .submit, parameters: [id], responses: [Self.job, Self.missing, Self.conflict]
        ) { call in response(try loop.command(try found(call).id, event)) }
    }

    private var prioritize: Operation {
        let range = Int64(JobSpecification.priorities.lowerBound)...Int64(JobSpecification.priorities.upperBound)
        return Operation(
            id: "changeJob", method: "PATCH", path: "/v1/jobs/{id}", tag: "jobs", summary: "Change a job's priority",
            scope: .submit, parameters: [id],
            body: .json(
                .object(.init([.init("priority", .integer(range), "The higher, the sooner.", required: true)]))),
            responses: [Self.job, Self.missing, Self.conflict]
        ) { call in
            let priority = Int(call.body["priority"]?.integer ?? 0)
            return response(try loop.command(try found(call).id, .prioritize(priority)))
        }
    }
}

// MARK: What belongs to a job

extension JobOperations {
    private var documents: [Operation] {
        [
            document("getPlan", "plan", RecordCollections.plans, "What is done with the source, and why"),
            document("getReceipt", "receipt", RecordCollections.receipts, "What was done: the worker's result"),
        ]
    }

    private func document(_ name: String, _ suffix: String, _ collection: String, _ summary: String) -> Operation {
        Operation(
            id: name, method: "GET", path: "/v1/jobs/{id}/\(suffix)", tag: "jobs", summary: summary, scope: .read,
            parameters: [id],
            responses: [
                .init(status: 200, description: "As the worker wrote it.", schema: .object(.init([], isOpen: true))),
                Self.missing,
            ]
        ) { call in
            let job = try found(call)
            guard let value = try store.record(collection, job.id.text) else {
                throw Problem.notFound(suffix, job.id.text)
            }
            return .json(value)
        }
    }

    private var output: Operation {
        Operation(
            id: "getOutput", method: "GET", path: "/v1/jobs/{id}/output", tag: "jobs", summary: "Download the output",
            scope: .read,
            parameters: [
                id,
                .init(
                    name: "Range", place: .header, schema: .string(.init(0...200)),
                    description: "A part: `bytes=FIRST-LAST`."),
            ],
            responses: [
                .init(status: 200, description: "The file.", type: "application/octet-stream"),
                .init(status: 206, description: "A part of it.", type: "application/octet-stream"), Self.missing,
                Self.conflict,
            ]
        ) { call in
            let job = try found(call)
            let name = FileName.directory(of: job.result?.output ?? "").name
            return try FileResponse.response(
                try files.open(outputOf: job), named: name, range: call.request.header("range"))
        }
    }

    private var thumbnail: Operation {
        let which = Operation.Parameter(
            name: "which", place: .path, schema: .string(.init(words: Thumbnail.allCases.map(\.rawValue))),
            description: "Of what.", isRequired: true)
        return Operation(
            id: "getThumbnail", method: "GET", path: "/v1/jobs/{id}/thumbnails/{which}", tag: "jobs",
            summary: "A small picture of the source or the output, of the same moment",
            description: "The job's member `thumbnails` names those that there are.", scope: .read,
            parameters: [id, which],
            responses: [.init(status: 200, description: "The picture.", type: "image/jpeg"), Self.missing]
        ) { call in
            let job = try found(call)
            guard let which = Thumbnail(rawValue: call["which"]), let bytes = files.read(which, of: job.id) else {
                throw Problem.notFound("thumbnail", call["which"])
            }
            return HTTPResponse(200, "image/jpeg", bytes)
        }
    }

    private var bitRate: Operation {
        let rates = Schema.object(
            .init([
                .init("interval", .number(0...1e9), "Seconds of a span.", required: true),
                .init(
                    "values", .array(of: .integer(0...Int64.max), max: BitRateMeter.limit),
                    "Bits a second in each span, from the beginning on; empty before anything is known.", required: true
                ),
            ]))
        return Operation(
            id: "getBitRate", method: "GET", path: "/v1/jobs/{id}/bit-rate", tag: "jobs",
            summary: "Bits a second of the output over its time",
            description: "While a worker is at it, by its progress; afterwards of the video, packet by packet.",
            scope: .read, parameters: [id],
            responses: [.init(status: 200, description: "The rates.", schema: .named("BitRates", rates)), Self.missing]
        ) { call in
            let job = try found(call)
            let counted = try store.record(RecordCollections.receipts, job.id.text)?["bitRates"]
            let rates = loop.bitRates(of: job.id) ?? BitRates(interval: 1, values: [])
            return .json(try counted ?? JSONValue(encoding: rates))
        }
    }

    private var events: [Operation] {
        [events("jobEvents", "/v1/jobs/{id}/events", [id]), events("events", "/v1/events", [])]
    }

    private func events(_ name: String, _ path: String, _ parameters: [Operation.Parameter]) -> Operation {
        let last = Operation.Parameter(
            name: "Last-Event-ID", place: .header, schema: .string(.init(1...20, accepts: { Int64($0) != nil })),
            description: "The last event that the client has; what came after it is sent first. `0` is the beginning.")
        return Operation(
            id: name, method: "GET", path: path, tag: "events", summary: "Follow what happens (server-sent events)",
            scope: .read,
            parameters: parameters + [last],
            responses: [
                .init(status: 200, description: "Events, as they happen.", type: "text/event-stream"), Self.missing,
            ]
        ) { call in
            let job = parameters.isEmpty ? nil : try found(call).id
            let stream = try hub.listen(to: job, after: call.request.header("last-event-id").flatMap { Int64($0) })
            let headers = [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
            ]
            return HTTPResponse(200, headers: headers.map { (name: $0.0, value: $0.1) }, body: .stream(stream))
        }
    }
}

extension HTTPResponse {
    static func json(_ value: JSONValue, _ status: Int = 200) -> HTTPResponse {
        HTTPResponse(status, "application/json", value.text)
    }
}

import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The operations on jobs.
struct JobOperations: Sendable {
    let store: any JobStore & RecordStore
    let submission: JobSubmission
    let loop: JobLoop
    let hub: EventHub
    let files: JobFiles
    let tickets: DownloadTickets

    var all: [Operation] {
        [submit, check, list, counts, get, cancel] + commands + [prioritize] + documents + [thumbnail, bitRate]
            + outputs + events
    }

    var id: Operation.Parameter {
        .init(
            name: "id", place: .path,
            schema: .string(.init(JobID.length...JobID.length, accepts: { JobID($0) != nil })),
            description: "The job's ID.",
            isRequired: true)
    }

    private static let job = Operation.Response(status: 200, description: "The job.", schema: JobRecord.schema)
    static let missing = Operation.Response(
        status: 404, description: "It does not exist.", type: Problem.contentType, schema: Problem.schema)
    static let conflict = Operation.Response(
        status: 409, description: "The job's state does not allow that.", type: Problem.contentType,
        schema: Problem.schema)

    func found(_ call: Call) throws -> Job {
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
                    description: "Requests with the same key and content create one job, however often they are sent.")
            ],
            body: .json(JobSpecification.schema),
            responses: [
                .init(
                    status: 201, description: "The job was added.", schema: JobRecord.schema,
                    headers: ["Location": "The job's URL."]),
                .init(status: 200, description: "The existing job of a known key.", schema: JobRecord.schema),
            ]
        ) { call in
            let (job, isNew) = try submission.submit(call.body, key: call.request.header("idempotency-key"))
            return response(job, isNew ? 201 : 200, headers: [("Location", "/v1/jobs/\(job.id)")])
        }
    }

    private var check: Operation {
        let checked = Schema.object(
            .init([.init("settings", .settings, "Those of the job, with those of its preset.", required: true)]))
        return Operation(
            id: "checkJob", method: "POST", path: "/v1/jobs/check", tag: "jobs",
            summary: "Check a job without submitting it",
            description: "Reports the errors that submitting it would, without opening its source. An upload may still "
                + "be to come: its ID is ignored.",
            scope: .submit, body: .json(JobSpecification.schema),
            responses: [.init(status: 200, description: "It can be submitted.", schema: .named("CheckedJob", checked))]
        ) { call in
            .json(["settings": .object(try submission.specification(call.body, checksUpload: false).settings)])
        }
    }

    private var list: Operation {
        let page = Schema.object(
            .init([
                .init("jobs", .array(of: JobRecord.schema, max: 1000), "Newest first.", required: true),
                .init("cursor", .string(), "For the next page; absent at the end."),
            ]))
        return Operation(
            id: "listJobs", method: "GET", path: "/v1/jobs", tag: "jobs", summary: "List jobs, newest first",
            scope: .read, parameters: Self.queryParameters,
            responses: [.init(status: 200, description: "A page.", schema: .named("JobPage", page))]
        ) { call in
            let page = try store.list(query(call))
            return .json(
                .members(["jobs": .array(page.jobs.map(record)), "cursor": .text(page.cursor.map { String($0) })]))
        }
    }

    private var counts: Operation {
        let members = JobState.allCases.map {
            Schema.Member($0.rawValue, .integer(0...Int64.max), "Jobs in this state.", required: true)
        }
        return Operation(
            id: "countJobs", method: "GET", path: "/v1/jobs/counts", tag: "jobs",
            summary: "Count the jobs in each state", scope: .read,
            responses: [
                .init(status: 200, description: "The counts.", schema: .named("JobCounts", .object(.init(members))))
            ]
        ) { _ in
            let counts = try store.counts()
            let members = JobState.allCases.map { ($0.rawValue, JSONValue.integer(Int64(counts[$0] ?? 0))) }
            return .json(.object(Dictionary(uniqueKeysWithValues: members)))
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
                description: "The `cursor` of the previous page."),
            .init(name: "limit", place: .query, schema: .integer(1...500), description: "Jobs per page."),
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
            "cancelJob", "DELETE", "", "Cancel a job", .cancel, "An active job stops; its partial output is removed.")
    }

    private var commands: [Operation] {
        [
            command("pauseJob", "POST", "/pause", "Pause a job", .pause, "Its worker stops."),
            command("resumeJob", "POST", "/resume", "Resume a paused job", .resume),
            command("retryJob", "POST", "/retry", "Retry a job that ended without an output", .retry),
        ]
    }

    private func command(
        _ name: String, _ method: String, _ suffix: String, _ summary: String, _ event: JobEvent,
        _ description: String = ""
    ) -> Operation {
        Operation(
            id: name, method: method, path: "/v1/jobs/{id}" + suffix, tag: "jobs", summary: summary,
            description: description,
            scope: .submit, parameters: [id], body: method == "POST" ? .empty : nil,
            responses: [Self.job, Self.missing, Self.conflict]
        ) { call in response(try loop.command(try found(call).id, event)) }
    }

    private var prioritize: Operation {
        let range = Int64(JobSpecification.priorities.lowerBound)...Int64(JobSpecification.priorities.upperBound)
        return Operation(
            id: "changeJob", method: "PATCH", path: "/v1/jobs/{id}", tag: "jobs", summary: "Change a job's priority",
            scope: .submit, parameters: [id],
            body: .json(
                .object(.init([.init("priority", .integer(range), "Higher runs sooner.", required: true)]))),
            responses: [Self.job, Self.missing, Self.conflict]
        ) { call in
            let priority = Int(call.body["priority"]?.integer ?? 0)
            return response(try loop.command(try found(call).id, .prioritize(priority)))
        }
    }
}

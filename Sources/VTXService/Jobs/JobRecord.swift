import VTXJSON
package import VTXJobs
import VTXSystem

/// A job as returned to clients.
enum JobRecord {
    static func json(_ job: Job, _ progress: JobProgress?, _ thumbnails: [Thumbnail] = []) -> JSONValue {
        .members([
            "id": .string(job.id.text), "state": .string(job.state.rawValue),
            "stopping": .text(job.stopping?.rawValue),
            "input": input(job.specification.input),
            "output": output(job.specification.output),
            "preset": .text(job.specification.preset), "settings": .object(job.specification.settings),
            "priority": .integer(Int64(job.specification.priority)),
            "labels": .object(job.specification.labels.mapValues { .string($0) }),
            "callback": job.specification.callback.map { ["url": .string(URLText.withoutSecrets($0.url))] } ?? .null,
            "realTime": .bool(job.specification.realTime), "watchFolder": .text(job.watchFolder),
            "createdAt": .time(job.createdAt), "startedAt": .time(job.startedAt), "endedAt": .time(job.endedAt),
            "retryAt": .time(job.retryAt), "reason": .text(reason(job)), "error": failure(job.failure),
            "result": result(job.result), "progress": progress?.json ?? .null,
            "attempts": .array(job.attempts.map(attempt)),
            "thumbnails": .array(thumbnails.map { .string($0.rawValue) }),
        ])
    }

    private static func reason(_ job: Job) -> String? {
        job.reason ?? job.waitsFor.map { "job \($0) is writing '\(job.workload?.outputPath ?? "")'" }
    }

    private static func input(_ input: JobSpecification.Input) -> JSONValue {
        .members([
            "path": .text(input.path), "url": .text(input.url.map(URLText.withoutSecrets)),
            "upload": .text(input.upload), "name": .text(input.uploadName),
        ])
    }

    private static func output(_ output: JobSpecification.Output?) -> JSONValue {
        guard let output else { return .null }
        return .members([
            "path": .text(output.path), "directory": .text(output.directory),
            "url": .text(output.url.map(URLText.withoutSecrets)),
        ])
    }

    static func failure(_ failure: Failure?) -> JSONValue {
        guard let failure else { return .null }
        return .members([
            "code": .string(failure.code), "category": .string(failure.category.rawValue),
            "message": .string(failure.message), "hint": .text(failure.hint), "device": .text(failure.device?.text),
            "evidence": failure.evidence.map { .array($0.map { .string($0) }) } ?? .null,
        ])
    }

    private static func result(_ result: JobResult?) -> JSONValue {
        guard let result else { return .null }
        return .members([
            "output": .string(result.output), "outputBytes": .integer(result.outputBytes),
            "sourceBytes": .integer(result.sourceBytes), "frames": .integer(Int64(result.frames)),
            "duration": .number(result.duration), "seconds": .number(result.seconds),
            "notices": .integer(Int64(result.notices)), "outcome": .text(result.outcome?.rawValue),
            "files": result.files.map { .array($0.map(file)) } ?? .null,
            "replacedSource": .text(result.replacedSource),
        ])
    }

    private static func file(_ file: JobResult.File) -> JSONValue {
        ["name": .string(file.name), "bytes": .integer(file.bytes)]
    }

    private static func attempt(_ attempt: Attempt) -> JSONValue {
        .members([
            "number": .integer(Int64(attempt.number)), "worker": .string(attempt.worker),
            "devices": .object(
                Dictionary(uniqueKeysWithValues: attempt.devices.map { ($0.key.rawValue, .string($0.value.text)) })),
            "startedAt": .time(attempt.startedAt), "endedAt": .time(attempt.endedAt),
            "outcome": .text(attempt.outcome?.rawValue), "error": failure(attempt.failure),
            "engineSeconds": attempt.engineSeconds.map { .object($0.mapValues { .number($0) }) } ?? .null,
        ])
    }

    /// Returns the event for a change of a job.
    static func event(of job: Job, at time: Timestamp, _ why: String? = nil) -> LoggedEvent {
        let attempt = job.attempts.last
        let body = JSONValue.members([
            "type": "job", "job": .string(job.id.text), "time": .time(time), "state": .string(job.state.rawValue),
            "stopping": .text(job.stopping?.rawValue),
            "priority": .integer(Int64(job.specification.priority)),
            "attempt": attempt.map { .integer(Int64($0.number)) } ?? .null,
            "devices": attempt.map { attempt in
                .object(
                    Dictionary(uniqueKeysWithValues: attempt.devices.map { ($0.key.rawValue, .string($0.value.text)) }))
            } ?? .null,
            "retryAt": .time(job.retryAt), "reason": .text(reason(job) ?? why),
            "error": failure(job.failure ?? attempt?.failure),
            "result": result(job.result),
        ])
        return LoggedEvent("job", of: job.id, at: time, body: body.text)
    }
}

extension JobRecord {
    /// Returns the callback to store with a job's end; nil if none is requested.
    static func callback(of job: Job) -> StoredRecord? {
        guard job.state.isFinal, let url = job.specification.callback?.url, let time = job.endedAt else { return nil }
        let body: JSONValue = [
            "type": .string("job.\(job.state.rawValue)"), "timestamp": .time(time), "data": json(job, nil),
        ]
        let value: JSONValue = [
            "url": .string(url), "body": .string(body.text), "id": .string("\(job.id)-\(time.milliseconds)"),
        ]
        return StoredRecord(RecordCollections.callbacks, job.id.text, value)
    }
}

extension Timestamp {
    package static var now: Timestamp { Timestamp(milliseconds: WallClock.milliseconds) }
}

extension JobRecord {
    /// The schema of `json`.
    static var schema: Schema { .named("Job", .object(.init(submitted + life + outcome, isOpen: true))) }

    private static let object = Schema.object(.init([], isOpen: true))

    private static var submitted: [Schema.Member] {
        [
            .init("id", .string(), "20 characters.", required: true),
            .init("input", object, "As submitted, with the `name` of an upload.", required: true),
            .init("output", object, "As submitted."),
            .init("settings", object, "As submitted, with those of the preset.", required: true),
            .init("preset", .string(), "As submitted."),
            .init("priority", .integer(-100...100), "Higher runs sooner.", required: true),
            .init("labels", object, "As submitted.", required: true),
        ]
    }

    private static var life: [Schema.Member] {
        let states = Schema.string(.init(words: JobState.allCases.map(\.rawValue)))
        let time = Schema.string(.init(format: "date-time"))
        return [
            .init(
                "state", states, "The state of the job. A `waiting` job is planned and waits for a free device.",
                required: true),
            .init("stopping", .string(), "Why its worker is stopping."),
            .init("createdAt", time, "When it was submitted.", required: true),
            .init("startedAt", time, "When its first attempt started."),
            .init("endedAt", time, "When it ended."),
            .init("retryAt", time, "It does not start before then."),
        ]
    }

    private static var resultSchema: Schema {
        let outcomes = Schema.string(.init(words: JobResult.Outcome.allCases.map(\.rawValue)))
        let incomplete = "`incompleteSource` if the source is truncated or damaged: the output has what could be read."
        return .object(
            .init(
                [
                    .init("outcome", outcomes, incomplete),
                    .init("replacedSource", .string(), "The path of the source that the output has replaced."),
                ], isOpen: true))
    }

    private static var outcome: [Schema.Member] {
        [
            .init("reason", .string(), "Why it was skipped, or what it waits for."),
            .init("error", object, "Why it failed: code, category, message, hint."),
            .init(
                "result", resultSchema,
                "Output, frames, bytes, seconds; for a ladder the `files`, the one that players open first."),
            .init("progress", object, "The progress while a worker runs it."),
            .init("thumbnails", .array(of: .string(), max: 2), "The available thumbnails: source, output."),
            .init("attempts", .array(of: object, max: 64), "The first and the latest attempts.", required: true),
        ]
    }
}

import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem
import VTXTask

/// The operations on parts of a job.
extension JobOperations {
    var documents: [Operation] {
        [
            document("getPlan", "plan", RecordCollections.plans, "How the source is transcoded, and why"),
            document("getReceipt", "receipt", RecordCollections.receipts, "The worker's result"),
        ]
    }

    private func document(_ name: String, _ suffix: String, _ collection: String, _ summary: String) -> Operation {
        Operation(
            id: name, method: "GET", path: "/v1/jobs/{id}/\(suffix)", tag: "jobs", summary: summary, scope: .read,
            parameters: [id],
            responses: [
                .init(status: 200, description: "As written by the worker.", schema: .object(.init([], isOpen: true))),
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

    var thumbnail: Operation {
        let which = Operation.Parameter(
            name: "which", place: .path, schema: .string(.init(words: Thumbnail.allCases.map(\.rawValue))),
            description: "Of what.", isRequired: true)
        return Operation(
            id: "getThumbnail", method: "GET", path: "/v1/jobs/{id}/thumbnails/{which}", tag: "jobs",
            summary: "A thumbnail of the source or the output, of the same moment",
            description: "The job's member `thumbnails` lists the available ones.", scope: .read,
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

    var bitRate: Operation {
        let rates = Schema.object(
            .init([
                .init("interval", .number(0...1e9), "The length of an interval in seconds.", required: true),
                .init(
                    "values", .array(of: .integer(0...Int64.max), max: BitRateMeter.limit),
                    "Bits per second in each interval, from the beginning; empty until known.", required: true
                ),
            ]))
        return Operation(
            id: "getBitRate", method: "GET", path: "/v1/jobs/{id}/bit-rate", tag: "jobs",
            summary: "The bit rate of the output over time",
            description: "From the progress while a worker runs the job; afterwards from the packets of the video.",
            scope: .read, parameters: [id],
            responses: [.init(status: 200, description: "The rates.", schema: .named("BitRates", rates)), Self.missing]
        ) { call in
            let job = try found(call)
            let counted = try store.record(RecordCollections.receipts, job.id.text)?["bitRates"]
            let rates = loop.bitRates(of: job.id) ?? BitRates(interval: 1, values: [])
            return .json(try counted ?? JSONValue(encoding: rates))
        }
    }

    var events: [Operation] {
        [events("jobEvents", "/v1/jobs/{id}/events", [id]), events("events", "/v1/events", [])]
    }

    private func events(_ name: String, _ path: String, _ parameters: [Operation.Parameter]) -> Operation {
        let last = Operation.Parameter(
            name: "Last-Event-ID", place: .header, schema: .string(.init(1...20, accepts: { Int64($0) != nil })),
            description: "The last event that the client received. Later ones are sent first. `0` is the "
                + "beginning, and so is a number that is not reached yet.")
        return Operation(
            id: name, method: "GET", path: path, tag: "events", summary: "Follow events (server-sent events)",
            scope: .read,
            parameters: parameters + [last],
            responses: [
                .init(status: 200, description: "The events as they occur.", type: "text/event-stream"), Self.missing,
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

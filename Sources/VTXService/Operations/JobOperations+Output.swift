import VTXHTTP
import VTXJSON
import VTXJobs
import VTXSystem

/// The operations that fetch outputs.
extension JobOperations {
    var outputs: [Operation] { [output, outputFile, makeTicket, download, downloadedFile] }

    private static let range = Operation.Parameter(
        name: "Range", place: .header, schema: .string(.init(0...200)), description: "A part: `bytes=FIRST-LAST`.")

    private static let ifNoneMatch = Operation.Parameter(
        name: "If-None-Match", place: .header, schema: .string(.init(0...1000)),
        description: "The `ETag` of an earlier response: 304 if the file is the same.")

    private static let ifRange = Operation.Parameter(
        name: "If-Range", place: .header, schema: .string(.init(0...200)),
        description: "The `ETag` of an earlier response: the whole file, not a part, if it is another one.")

    private static let conditions = [range, ifNoneMatch, ifRange]

    private static let fileName = Operation.Parameter(
        name: "file", place: .path, schema: .string(.init(1...255)),
        description: "A name in `result.files` of the job.", isRequired: true)

    private static let ticket = Operation.Parameter(
        name: "ticket", place: .path, schema: .string(.init(1...200)),
        description: "As created by `POST /v1/jobs/{id}/download`.", isRequired: true)

    private static func responses(_ type: String) -> [Operation.Response] {
        [
            .init(status: 200, description: "The file.", type: type),
            .init(status: 206, description: "A part of the file.", type: type),
            .init(status: 304, description: "The file is the same as before.", type: nil), missing, conflict,
        ]
    }

    private static let whole =
        [
            Operation.Response(
                status: 307, description: "The output is a directory; this is the file that players open first.",
                type: nil, headers: ["Location": "The file's URL."])
        ] + responses("application/octet-stream")

    // MARK: With a token

    private var output: Operation {
        Operation(
            id: "getOutput", method: "GET", path: "/v1/jobs/{id}/output", tag: "jobs", summary: "Download the output",
            scope: .read, parameters: [id] + Self.conditions, takesAnyQuery: true, responses: Self.whole
        ) { call in try whole(of: try found(call), call, at: "output") }
    }

    private var outputFile: Operation {
        Operation(
            id: "getOutputFile", method: "GET", path: "/v1/jobs/{id}/output/{file}", tag: "jobs",
            summary: "Play or download a file of an output that is a directory",
            description: "`master.m3u8` and `manifest.mpd` refer to the other files by relative URLs.",
            scope: .read, parameters: [id, Self.fileName] + Self.conditions, takesAnyQuery: true,
            responses: Self.responses("*/*")
        ) { call in try file(of: try found(call), call) }
    }

    // MARK: Without a token: browsers send none when they save a file, nor players

    private var makeTicket: Operation {
        let ticket = Schema.object(
            .init([
                .init("path", .string(), "The address, for a GET without a token.", required: true),
                .init(
                    "expiresAt", .string(.init(format: "date-time")), "Requests must start before then.", required: true
                ),
            ]))
        return Operation(
            id: "makeDownload", method: "POST", path: "/v1/jobs/{id}/download", tag: "jobs",
            summary: "Create an address of the output that needs no token",
            description: "It is valid for ten minutes, and that of a directory for a day: it is the file that players "
                + "open first, and the other files are beside it.", scope: .read, parameters: [id],
            body: .empty,
            responses: [
                .init(status: 201, description: "The address.", schema: .named("Download", ticket)), Self.missing,
                Self.conflict,
            ]
        ) { call in
            let job = try found(call)
            let output = try FinishedOutput(job)
            _ = try output.open(output.firstFile, in: files)
            let (ticket, end) = tickets.make(for: job.id, lasting: output.firstFile == nil ? 600 : 86400, at: .now)
            let path = "/downloads/\(ticket)" + (output.firstFile.map { "/\($0)" } ?? "")
            return .json(["path": .string(path), "expiresAt": .time(end)], 201)
        }
    }

    private var download: Operation {
        Operation(
            id: "getDownload", method: "GET", path: "/downloads/{ticket}", tag: "jobs",
            summary: "Download an output from an address without a token", parameters: [Self.ticket] + Self.conditions,
            takesAnyQuery: true, responses: Self.whole
        ) { call in try whole(of: try ticketed(call), call, at: call["ticket"]) }
    }

    private var downloadedFile: Operation {
        Operation(
            id: "getDownloadedFile", method: "GET", path: "/downloads/{ticket}/{file}", tag: "jobs",
            summary: "Play or download a file of a directory from an address without a token",
            parameters: [Self.ticket, Self.fileName] + Self.conditions, takesAnyQuery: true,
            responses: Self.responses("*/*")
        ) { call in
            var response = try file(of: try ticketed(call), call)
            // The address is the permission, for players on any page.
            response.headers.append(("Access-Control-Allow-Origin", "*"))
            return response
        }
    }

    private func ticketed(_ call: Call) throws -> Job {
        guard let id = tickets.job(call["ticket"], at: .now), let job = try store.job(id) else {
            throw Problem(404, "download.notFound", "the address is invalid or has expired")
        }
        return job
    }

    // MARK: The responses

    /// - Parameter place: The last segment of the request's path, from which a redirect is relative.
    private func whole(of job: Job, _ call: Call, at place: String) throws -> HTTPResponse {
        let output = try FinishedOutput(job)
        if let first = output.firstFile { return HTTPResponse(307, headers: [("Location", "\(place)/\(first)")]) }
        return try FileResponse.response(
            try output.open(nil, in: files), as: .attachment(output.name), to: call.request)
    }

    private func file(of job: Job, _ call: Call) throws -> HTTPResponse {
        try FileResponse.response(
            try FinishedOutput(job).open(call["file"], in: files), as: .media(call["file"]), to: call.request)
    }
}

import VTXHTTP
import VTXJSON
import VTXJobs

/// The operations on uploads: in one request, or in parts by tus 1.0. `Tus-Resumable` is not a parameter, because
/// another version must result in 412, as tus requires, instead of an invalid request.
struct UploadOperations: Sendable {
    let uploads: Uploads

    var all: [Operation] { [create, list, get, append, remove, options] }

    private var id: Operation.Parameter {
        .init(
            name: "id", place: .path, schema: .string(.init(JobID.length...JobID.length)),
            description: "The upload's ID.", isRequired: true)
    }

    private static let bytes = Schema.integer(0...Int64(1) << 53)
    private static let missing = Operation.Response(
        status: 404, description: "It does not exist.", type: Problem.contentType, schema: Problem.schema)
    private static let tooLarge = Operation.Response(
        status: 413, description: "It is larger than allowed.", type: Problem.contentType, schema: Problem.schema)

    private static let offsets = ["Upload-Offset": "Bytes received.", "Upload-Length": "Total size in bytes."]

    private func headers(_ upload: Upload, _ offset: Int64) -> [(name: String, value: String)] {
        [
            ("Tus-Resumable", Tus.version), ("Upload-Offset", String(offset)),
            ("Upload-Length", String(upload.length)),
        ]
    }

    private func response(_ upload: Upload, _ status: Int) -> HTTPResponse {
        let offset = uploads.offset(upload)
        var headers = headers(upload, offset)
        if status == 201 { headers.append(("Location", "/v1/uploads/\(upload.id)")) }
        return HTTPResponse(status, "application/json", upload.json(offset: offset).text, headers: headers)
    }

    private var create: Operation {
        Operation(
            id: "createUpload", method: "POST", path: "/v1/uploads", tag: "uploads", summary: "Upload a file",
            description: "The body is the file. With `Upload-Length`, it may be only a part, or empty; "
                + "`PATCH /v1/uploads/{id}` sends the rest.",
            scope: .submit,
            parameters: Self.beginParameters,
            body: .bytes(type: "application/octet-stream", isRequired: false) { call in try begin(call) },
            responses: [
                .init(
                    status: 201, description: "The upload.", schema: Upload.schema,
                    headers: Self.offsets.merging(["Location": "The upload's URL."]) { first, _ in first }),
                Self.tooLarge,
            ]
        ) { call in
            guard let sink = call.request.sink as? UploadSink else { throw Problem.noBody }
            return response(try uploads.complete(sink), 201)
        }
    }

    private static let beginParameters: [Operation.Parameter] = [
        .init(
            name: "name", place: .query, schema: .string(.init(1...255)),
            description: "The file's name; its extension gives the format of a raw stream."),
        .init(
            name: "Upload-Length", place: .header, schema: .integer(1...Int64(1) << 53),
            description: "The total size in bytes, if this request has only a part."),
        .init(
            name: "Upload-Metadata", place: .header, schema: .string(.init(0...4096)),
            description: "tus: `filename BASE64`, in place of `name`."),
    ]

    private func begin(_ call: Call) throws -> UploadSink {
        try Tus.check(call.request)
        let metadata = call.request.header("upload-metadata").flatMap(Tus.name)
        return try uploads.begin(
            name: call.text("name") ?? metadata ?? "", length: call.request.number("upload-length"),
            coming: call.request.number("content-length"))
    }

    private var list: Operation {
        let list = Schema.object(
            .init([.init("uploads", .array(of: Upload.schema, max: 100_000), "All uploads.", required: true)]))
        return Operation(
            id: "listUploads", method: "GET", path: "/v1/uploads", tag: "uploads", summary: "List uploads",
            scope: .submit, responses: [.init(status: 200, description: "All uploads.", schema: list)]
        ) { _ in .json(["uploads": .array(try uploads.all().map { $0.json(offset: uploads.offset($0)) })]) }
    }

    private var get: Operation {
        Operation(
            id: "getUpload", method: "GET", path: "/v1/uploads/{id}", tag: "uploads",
            summary: "How much of an upload has been received", scope: .submit, parameters: [id],
            responses: [
                .init(status: 200, description: "The upload.", schema: Upload.schema, headers: Self.offsets),
                Self.missing,
            ]
        ) { call in
            try Tus.check(call.request)
            return response(try uploads.upload(call["id"]), 200)
        }
    }

    private var append: Operation {
        Operation(
            id: "appendUpload", method: "PATCH", path: "/v1/uploads/{id}", tag: "uploads",
            summary: "Send the next bytes of an upload",
            description: "If the connection breaks, received data is kept; GET returns its size as `Upload-Offset`.",
            scope: .submit, parameters: [id, Self.offset],
            body: .bytes(type: Tus.contentType) { call in try resume(call) },
            responses: [
                .init(status: 204, description: "The bytes are on disk.", type: nil, headers: Self.offsets),
                Self.missing,
                .init(
                    status: 409, description: "The offset is wrong, or another connection is sending bytes.",
                    type: Problem.contentType, schema: Problem.schema), Self.tooLarge,
            ]
        ) { call in
            guard let sink = call.request.sink as? UploadSink else { throw Problem.noBody }
            let offset = try sink.finish()
            return HTTPResponse(204, headers: headers(sink.upload, offset))
        }
    }

    private static let offset = Operation.Parameter(
        name: "Upload-Offset", place: .header, schema: bytes,
        description: "Offset of the first byte: the size received so far.", isRequired: true)

    private func resume(_ call: Call) throws -> UploadSink {
        try Tus.check(call.request)
        guard call.request.header("content-type")?.lowercased() == Tus.contentType else {
            throw Problem(415, "request.type", "the body must be \(Tus.contentType)")
        }
        return try uploads.resume(
            call["id"], from: call.request.number("upload-offset") ?? 0,
            coming: call.request.number("content-length"))
    }

    private var remove: Operation {
        Operation(
            id: "deleteUpload", method: "DELETE", path: "/v1/uploads/{id}", tag: "uploads", summary: "Remove an upload",
            scope: .submit, parameters: [id],
            responses: [.init(status: 204, description: "It was removed.", type: nil), Self.missing]
        ) { call in
            try Tus.check(call.request)
            try uploads.remove(call["id"])
            return HTTPResponse(204, headers: [("Tus-Resumable", Tus.version)])
        }
    }

    private var options: Operation {
        Operation(
            id: "uploadOptions", method: "OPTIONS", path: "/v1/uploads", tag: "uploads",
            summary: "The supported features of tus",
            responses: [
                .init(status: 204, description: "In the headers `Tus-Version`, `-Extension`, `-Max-Size`.", type: nil)
            ]
        ) { _ in
            HTTPResponse(
                204,
                headers: [
                    ("Tus-Resumable", Tus.version), ("Tus-Version", Tus.version),
                    ("Tus-Extension", "creation,creation-with-upload,termination"),
                    ("Tus-Max-Size", String(uploads.limit)),
                ])
        }
    }
}

extension HTTPRequest {
    /// Parses a header that is a number of bytes.
    fileprivate func number(_ name: String) -> Int64? {
        header(name).flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 }
    }
}

extension Problem {
    fileprivate static var noBody: Problem { Problem(400, "request.invalid", "the request has no body") }
}

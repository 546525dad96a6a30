import VTXHTTP
import VTXJSON
import VTXJobs

/// A file that a client sends. How much of it is there is what the file says.
struct Upload: Sendable, Hashable, Codable {
    var id: String
    /// In bytes.
    var length: Int64
    /// As the client calls it, made plain.
    var name: String
    var createdAt: Timestamp

    func json(offset: Int64) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "length": .integer(length), "offset": .integer(offset),
            "complete": .bool(offset == length), "createdAt": .string(createdAt.description),
        ]
    }

    static var schema: Schema {
        .named(
            "Upload",
            .object(
                .init([
                    .init("id", .string(), "For a job's `input.upload`.", required: true),
                    .init("name", .string(), "As the client calls it.", required: true),
                    .init("length", .integer(0...Int64.max), "Bytes of the whole.", required: true),
                    .init("offset", .integer(0...Int64.max), "Bytes that are there.", required: true),
                    .init("complete", .boolean, "All bytes are there.", required: true),
                    .init("createdAt", .string(.init(format: "date-time")), "When it was begun.", required: true),
                ])))
    }
}

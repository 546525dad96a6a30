import VTXHTTP
import VTXJSON
import VTXJobs

/// The operations on devices.
struct DeviceOperations: Sendable {
    /// The devices of this host.
    let control: DeviceControl
    /// The cluster, which replaces the devices of this host; nil for a single host.
    let cluster: ClusterDevices?

    var all: [Operation] { [list, test, release] }

    private static let open = Schema.object(.init([], isOpen: true))
    private static let missing = Operation.Response(
        status: 404, description: "It does not exist.", type: Problem.contentType, schema: Problem.schema)
    private static let conflict = Operation.Response(
        status: 409, description: "It is software, cannot be used, or several workers have one.",
        type: Problem.contentType,
        schema: Problem.schema)

    private var id: Operation.Parameter {
        .init(
            name: "id", place: .path, schema: .string(.init(1...256)),
            description: "The member `device` of a device, with `/` encoded as `%2F`.")
    }

    private var list: Operation {
        let list = Schema.object(.init([.init("devices", .array(of: Self.open, max: 1000), "All.", required: true)]))
        return Operation(
            id: "listDevices", method: "GET", path: "/v1/devices", tag: "devices",
            summary: "List devices with capabilities, health and load", scope: .read,
            responses: [.init(status: 200, description: "The devices.", schema: .named("Devices", list))]
        ) { _ in try .json(["devices": .array(cluster?.list() ?? control.list())]) }
    }

    private var worker: Operation.Parameter {
        .init(
            name: "worker", place: .query, schema: .string(.init(1...256)),
            description: "In a cluster, the member `worker` of the device, if several workers have one of this name."
        )
    }

    private func perform(_ action: DeviceAction, _ call: Call) throws(Problem) -> JSONValue {
        if let cluster { return try cluster.perform(action, on: call["id"], of: call.text("worker")) }
        if let worker = call.text("worker") { throw .notFound("worker", worker) }
        return try control.perform(action, on: call["id"])
    }

    private var test: Operation {
        let result = Schema.object(
            .init(
                [
                    .init("device", .string(), "The device.", required: true),
                    .init("passed", .boolean, "Whether it passed, and gets jobs.", required: true),
                    .init("error", Self.open, "Why it failed: code, message."),
                    .init("health", .string(), "Its current health.", required: true),
                    .init(
                        "trials", .array(of: Self.open, max: 1000),
                        "The tests: codec, profile, verdict, and why it failed.",
                        required: true),
                ], isOpen: true))
        return Operation(
            id: "testDevice", method: "POST", path: "/v1/devices/{id}/test", tag: "devices",
            summary: "Test a GPU with known pictures",
            description: "It gets no new jobs during the test. If it fails, it is quarantined.",
            scope: .admin, parameters: [id, worker], body: .empty,
            responses: [
                .init(status: 200, description: "The result.", schema: .named("DeviceTest", result)), Self.missing,
                Self.conflict,
            ], lane: .slow
        ) { call in try .json(perform(.test, call)) }
    }

    private var release: Operation {
        Operation(
            id: "releaseDevice", method: "POST", path: "/v1/devices/{id}/release", tag: "devices",
            summary: "Release a quarantined GPU",
            description: "Clears its faults and gives it jobs again without a test, after a repair.", scope: .admin,
            parameters: [id, worker], body: .empty,
            responses: [.init(status: 200, description: "The device.", schema: Self.open), Self.missing, Self.conflict]
        ) { call in try .json(perform(.release, call)) }
    }
}

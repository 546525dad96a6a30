import VTXCluster
import VTXHTTP
import VTXJSON
import VTXJobs

/// What clients can learn of devices, and do with them.
struct DeviceOperations: Sendable {
    let loop: JobLoop
    let catalog: DeviceCatalog
    /// Whose workers have the devices; nil for a host of its own.
    let cluster: Cluster?

    var all: [Operation] { [list, test, release] }

    private static let open = Schema.object(.init([], isOpen: true))
    private static let missing = Operation.Response(
        status: 404, description: "There is none.", type: Problem.contentType, schema: Problem.schema)
    private static let conflict = Operation.Response(
        status: 409, description: "It is software, or cannot be used.", type: Problem.contentType,
        schema: Problem.schema)

    private var id: Operation.Parameter {
        .init(
            name: "id", place: .path, schema: .string(.init(1...256)),
            description: "The member `device` of a device; a `/` in it is written as `%2F`.")
    }

    private var list: Operation {
        let list = Schema.object(.init([.init("devices", .array(of: Self.open, max: 1000), "All.", required: true)]))
        return Operation(
            id: "listDevices", method: "GET", path: "/v1/devices", tag: "devices",
            summary: "Devices with what they can do, their health and load", scope: .read,
            responses: [.init(status: 200, description: "The devices.", schema: .named("Devices", list))]
        ) { _ in try .json(["devices": .array(cluster?.devices() ?? catalog.json(status()))]) }
    }

    private func status() throws -> DeviceStatus {
        guard let status = loop.deviceStatus() else {
            throw Problem(503, "service.busy", "the devices could not be asked in time")
        }
        return status
    }

    /// A GPU that gets jobs, or would but for its health.
    private func gpu(_ call: Call) throws -> DeviceName {
        if cluster != nil {
            throw Problem(
                409, "device.elsewhere", "the devices of a cluster are on other hosts",
                hint: "vtx probe tests them there; a restart of the worker looks again")
        }
        guard let found = catalog.all.first(where: { $0.device.name.text == call["id"] }) else {
            throw Problem.notFound("device", call["id"])
        }
        if found.device.name == .cpu {
            throw Problem(409, "device.software", "software is neither tested nor kept out")
        }
        guard found.isUsable else {
            throw Problem(
                409, "device.unusable", "'\(call["id"])' cannot be used",
                hint: "its 'report' in /v1/devices says why; a restart looks again")
        }
        return found.device.name
    }

    private var test: Operation {
        let result = Schema.object(
            .init(
                [
                    .init("device", .string(), "Which.", required: true),
                    .init("passed", .boolean, "Whether it gets jobs.", required: true),
                    .init("error", Self.open, "Why it does not: code, message."),
                    .init("health", .string(), "How it is now.", required: true),
                    .init(
                        "trials", .array(of: Self.open, max: 1000),
                        "What was decoded and encoded: codec, profile, verdict, and why it did not pass.",
                        required: true),
                ], isOpen: true))
        return Operation(
            id: "testDevice", method: "POST", path: "/v1/devices/{id}/test", tag: "devices",
            summary: "Test a GPU with known pictures",
            description: "It gets no new jobs meanwhile. One that passes gets jobs; one that does not is kept out.",
            scope: .admin, parameters: [id],
            responses: [
                .init(status: 200, description: "How it did.", schema: .named("DeviceTest", result)), Self.missing,
                Self.conflict,
            ], lane: .slow
        ) { call in try .json(tested(gpu(call))) }
    }

    private func tested(_ device: DeviceName) throws -> JSONValue {
        guard let test = loop.test(device) else {
            throw Problem(503, "service.stopping", "the server stops, or the test took too long")
        }
        let health = try status().health[device]?.state.rawValue
        return .members([
            "device": .string(device.text), "passed": .bool(test.failure == nil),
            "error": JobRecord.failure(test.failure), "health": .string(health ?? ""), "trials": .array(test.trials),
        ])
    }

    private var release: Operation {
        Operation(
            id: "releaseDevice", method: "POST", path: "/v1/devices/{id}/release", tag: "devices",
            summary: "Give a GPU jobs again that was kept out",
            description: "Without a test, and its faults are forgotten: for one that was mended.", scope: .admin,
            parameters: [id],
            responses: [.init(status: 200, description: "The device.", schema: Self.open), Self.missing, Self.conflict]
        ) { call in
            let device = try gpu(call)
            loop.send(.event(.releaseDevice(device)))
            let found = try catalog.json(status()).first { $0["device"]?.string == device.text }
            return .json(found ?? [:])
        }
    }
}

import Testing
import VTXJSON
import VTXJobs
import VTXSystem

@testable import VTXService

@Suite("Devices of the service")
struct DeviceTests {
    private let directory: TestDirectory
    private let service: TestService
    private static let gpu = "/v1/devices/%2Fdev%2Fdri%2FrenderD128"

    init() throws {
        directory = try TestDirectory()
        service = try TestService(directory)
    }

    private func health() throws -> String? {
        let devices = try service.ask("GET", "/v1/devices").body["devices"]?.array ?? []
        return devices.first { $0["device"]?.string == TestRunner.gpu.text }?["health"]?.string
    }

    @Test("a GPU that fails its test is quarantined with a reason, and released by a test or by hand")
    func testing() throws {
        let failure = Failure(.device, "device.selfTest", "the pictures are green", device: TestRunner.gpu)
        let trial: JSONValue = ["codec": "hevc", "verdict": "failed"]
        service.runner.tests.withLock { $0 = [DeviceTest(failure: failure, trials: [trial]), DeviceTest()] }
        let failed = try service.ask("POST", Self.gpu + "/test")
        #expect(failed.status == 200 && failed.body["passed"] == false && failed.body["health"] == "quarantined")
        #expect(failed.body["error"]?["message"]?.string == "the pictures are green")
        #expect(failed.body["trials"] == [trial])
        #expect(try health() == "quarantined")
        let passed = try service.ask("POST", Self.gpu + "/test")
        #expect(passed.body["passed"] == true && passed.body["health"] == "suspect")
        let released = try service.ask("POST", Self.gpu + "/release")
        #expect(released.status == 200 && released.body["health"] == "healthy")
        #expect(released.body["faults"] == [])
        #expect(try health() == "healthy")
    }

    @Test("a healthy GPU that passes a test stays healthy")
    func healthy() throws {
        #expect(try service.ask("POST", Self.gpu + "/test").body["health"] == "healthy")
    }

    @Test(
        "software, unusable and missing GPUs can be neither tested nor released",
        arguments: ["test", "release"])
    func others(action: String) throws {
        #expect(try service.ask("POST", "/v1/devices/cpu/\(action)").status == 409)
        #expect(try service.ask("POST", "/v1/devices/%2Fdev%2Fdri%2FrenderD129/\(action)").status == 409)
        #expect(try service.ask("POST", "/v1/devices/nothing/\(action)").status == 404)
    }
}

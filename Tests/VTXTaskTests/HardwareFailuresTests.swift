import Testing
import VTXMedia

@testable import VTXTask

@Suite("Hardware failures of one job")
struct HardwareFailuresTests {
    private static let gpu = DeviceID("/dev/dri/renderD128")

    private static func fault(
        _ stage: VideoStage = .encode, isOutOfMemory: Bool = false, isBeforeFirstPacket: Bool = false
    ) -> HardwareFailure {
        HardwareFailure(
            stage: stage, device: gpu, deviceName: "GPU", message: "it broke", isOutOfMemory: isOutOfMemory,
            isBeforeFirstPacket: isBeforeFirstPacket, stages: [.decode, .filter, .encode])
    }

    private static func driver(isWhileAsked: Bool) -> DriverFailure {
        DriverFailure(device: gpu, symptom: "aborted", isHang: false, isWhileAsked: isWhileAsked)
    }

    @Test("a job without failures, or with failed driver queries only, has no attempts")
    func noAttempts() {
        #expect(!HardwareFailures().hasAttempts)
        #expect(!HardwareFailures([Self.driver(isWhileAsked: true)]).hasAttempts)
    }

    @Test("a driver that failed at work has ended an attempt")
    func driver() {
        let drivers = [Self.driver(isWhileAsked: true), Self.driver(isWhileAsked: false)]
        #expect(HardwareFailures(drivers).hasAttempts)
    }

    @Test(
        "a GPU that failed at its start, later, or out of memory has ended an attempt",
        arguments: [fault(isBeforeFirstPacket: true), fault(), fault(isOutOfMemory: true)])
    func gpu(fault: HardwareFailure) {
        var failures = HardwareFailures()
        failures.note(fault)
        #expect(failures.hasAttempts)
    }

    @Test("a GPU without enough memory gets fewer frames, then no decoding, then no filtering, then nothing")
    func memory() {
        var failures = HardwareFailures()
        let shortage = Self.fault(isOutOfMemory: true)
        #expect(failures.isFirstShortage(shortage))
        failures.note(shortage)
        #expect(!failures.isFirstShortage(shortage) && failures.shortOfMemory == [Self.gpu] && failures.reliefs.isEmpty)
        failures.note(shortage)
        #expect(failures.reason(against: Self.gpu, at: .decode)?.contains("too little memory") == true)
        var encodes = shortage
        encodes.stages = [.filter, .encode]
        failures.note(encodes)
        #expect(failures.reliefs.map(\.stage) == [.decode, .filter] && !failures.excludes(Self.gpu))
        encodes.stages = [.encode]
        failures.note(encodes)
        #expect(failures.excludes(Self.gpu))
    }
}

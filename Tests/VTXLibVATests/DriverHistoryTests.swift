import Testing
import VTXMedia
import VTXSystem
import VTXTestMedia

@testable import VTXLibVA

@Suite("Drivers that crashed or hung")
struct DriverHistoryTests {
    private let directory: TemporaryDirectory
    private let file: DriverRecordFile
    private let clock = Locked<Int64>(1_000_000)

    init() throws {
        directory = try TemporaryDirectory()
        file = DriverRecordFile(directory.file("cache/vtx/faults.json"))
    }

    /// A process's history, with its file.
    private func process(_ file: DriverRecordFile?) -> DriverHistory {
        DriverHistory(file: file, now: { [clock] in clock.withLock { $0 } })
    }

    private static func node(_ number: Int, slot: UInt8) -> RenderNode {
        RenderNode(
            path: "/dev/dri/renderD\(number)", address: PCIAddress(domain: 0, bus: slot, device: 0, function: 0),
            deviceID: .tigerLake)
    }

    private let broken = Self.node(128, slot: 1)
    private let healthy = Self.node(129, slot: 2)

    private func system(_ environment: [String: String] = [:]) -> SystemView {
        var machine = FakeSystem().view
        machine.list = { Directory.names(in: $0).sorted() }
        machine.environment = { [path = directory.path] in ["LIBVA_DRIVERS_PATH": path].merging(environment) { $1 }[$0]
        }
        return machine
    }

    private func note(_ faults: DriverHistory, _ moment: DriverQuarantine.Moment = .asked, keeps: Bool = true) {
        let fault = faults.makeQuarantine(.crashed, "aborted (SIGABRT) while vtx probed it", moment)
        faults.note(fault, of: broken, keeps: keeps, in: system())
    }

    private func isAvoided(_ node: RenderNode, by faults: DriverHistory, _ variables: [String: String] = [:]) -> Bool {
        faults.quarantine(of: node, in: system(variables)) != nil
    }

    @Test("other processes see them, and blame no other GPU of the same model")
    func otherProcess() {
        note(process(file))
        let later = process(file)
        #expect(isAvoided(broken, by: later))
        #expect(!isAvoided(healthy, by: later))
    }

    @Test(
        "if the file cannot be written, the process keeps them in memory",
        arguments: [nil, "/proc/none/vtx/faults.json"])
    func withoutDisk(path: String?) {
        let faults = process(path.map { DriverRecordFile($0) })
        note(faults)
        #expect(isAvoided(broken, by: faults))
        #expect(!isAvoided(broken, by: process(path.map { DriverRecordFile($0) })))
    }

    @Test("process-local failures are not written to the file")
    func notKept() {
        let faults = process(file)
        note(faults, keeps: false)
        #expect(isAvoided(broken, by: faults) && !isAvoided(broken, by: process(file)))
    }

    @Test("a driver that fails a query is avoided for a day, one that fails at a file for an hour")
    func expiry() {
        let (asking, working) = (process(file), process(nil))
        note(asking)
        note(working, .working)
        clock.withLock { $0 += 3599 }
        #expect(isAvoided(broken, by: asking) && isAvoided(broken, by: working))
        clock.withLock { $0 += 1 }
        #expect(isAvoided(broken, by: asking) && !isAvoided(broken, by: working))
        clock.withLock { $0 += 23 * 3600 }
        #expect(!isAvoided(broken, by: asking) && !isAvoided(broken, by: process(file)))
    }

    @Test("setting back the clock does not extend a fault")
    func clockSetBack() {
        let faults = process(file)
        note(faults)
        clock.withLock { $0 -= 10 }
        #expect(!isAvoided(broken, by: faults))
    }

    @Test("a driver that answers is used again, by all processes")
    func forgotten() {
        note(process(file))
        let second = process(file)
        second.noteAnswer(of: broken, in: system())
        #expect(!isAvoided(broken, by: second) && !isAvoided(broken, by: process(file)))
    }

    @Test("a successful query counts in all processes, until the driver fails or is replaced")
    func answered() throws {
        let faults = process(file)
        #expect(!faults.hasAnswered(broken, in: system()))
        faults.noteAnswer(of: broken, in: system())
        #expect(faults.hasAnswered(broken, in: system()) && process(file).hasAnswered(broken, in: system()))
        #expect(!process(file).hasAnswered(healthy, in: system()))
        note(faults)
        #expect(!faults.hasAnswered(broken, in: system()) && !process(file).hasAnswered(broken, in: system()))
        faults.noteAnswer(of: broken, in: system())
        try AtomicFile.write("new", to: directory.file("iHD_drv_video.so"), replaces: true)
        #expect(!faults.hasAnswered(broken, in: system()))
    }

    @Test("a driver installed or selected later is another one")
    func update() throws {
        let faults = process(file)
        note(faults)
        #expect(!isAvoided(broken, by: faults, ["LIBVA_DRIVER_NAME": "i965"]))
        try AtomicFile.write("new", to: directory.file("iHD_drv_video.so"), replaces: true)
        #expect(!isAvoided(broken, by: faults))
    }

    @Test("an invalid file is replaced")
    func garbage() throws {
        try Directory.make(directory.file("cache/vtx"))
        try AtomicFile.write("{\"faults\":", to: file.path, replaces: true)
        #expect(!isAvoided(broken, by: process(file)))
        note(process(file))
        #expect(isAvoided(broken, by: process(file)))
    }

    @Test("the message has the event, its time, and its duration")
    func sentence() {
        let fault = DriverQuarantine(.hung, "did not respond", .asked, at: 0)
        let end = "it is not used for another"
        #expect(fault.sentence(at: 2) == "its driver did not respond, just now; \(end) 24 hours")
        #expect(fault.sentence(at: 61) == "its driver did not respond, 61 seconds ago; \(end) 24 hours")
        #expect(fault.sentence(at: 7300) == "its driver did not respond, 2 hours ago; \(end) 22 hours")
        #expect(fault.sentence(at: 82_800) == "its driver did not respond, 23 hours ago; \(end) 60 minutes")
    }
}

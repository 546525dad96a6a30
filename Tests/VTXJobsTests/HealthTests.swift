import Testing
import VTXJobs

@Suite("The health of a device")
struct HealthTests {
    private var health = DeviceHealth()

    private mutating func does(_ event: DeviceHealth.Event, at seconds: Double) -> DeviceHealth.Action? {
        health.handle(event, name: DeviceName("gpu0"), at: Timestamp(seconds: seconds))
    }

    private var wait: Double? { health.quarantinedUntil.map { $0.seconds } }

    @Test("one fault makes it suspect, three in ten minutes quarantine it")
    mutating func window() {
        _ = does(.fault(.device("gpu0")), at: 0)
        #expect(health.state == .suspect && health.state.takesJobs)
        _ = does(.fault(.device("gpu0")), at: 1000)
        _ = does(.fault(.device("gpu0")), at: 1100)
        #expect(health.state == .suspect)
        _ = does(.fault(.device("gpu0")), at: 1200)
        #expect(health.state == .quarantined && !health.state.takesJobs)
    }

    @Test("a hang quarantines it at once", arguments: ["device.hung", "device.lost"])
    mutating func hang(code: String) {
        _ = does(.fault(.device("gpu0", code)), at: 0)
        #expect(health.state == .quarantined)
    }

    @Test("recovers with a self-test and a few good jobs, each time after a longer wait")
    mutating func back() throws {
        var waits: [Double] = []
        var now = 0.0
        for _ in 0..<8 {
            _ = does(.fault(.device("gpu0", "device.hung")), at: now)
            let until = try #require(wait)
            waits.append(until - now)
            #expect(does(.tick, at: until - 1) == nil)
            #expect(does(.tick, at: until) == .selfTest)
            #expect(health.state == .testing && !health.state.takesJobs)
            #expect(does(.tick, at: until + 1) == nil)
            _ = does(.testPassed, at: until + 2)
            #expect(health.state == .suspect)
            now = until + 10
        }
        #expect(zip(waits, waits.dropFirst()).allSatisfy { $1 > $0 || $1 > 2700 } && waits.allSatisfy { $0 <= 4500 })
        for second in 0..<3 { _ = does(.success, at: now + Double(second)) }
        #expect(health.state == .healthy && health.quarantines == 0)
    }

    @Test("a failed self-test extends the quarantine")
    mutating func failedTest() throws {
        _ = does(.fault(.device("gpu0", "device.hung")), at: 0)
        let first = try #require(wait)
        #expect(does(.tick, at: first) == .selfTest)
        _ = does(.testFailed(.device("gpu0")), at: first)
        #expect(health.state == .quarantined && health.quarantines == 2)
        #expect(try #require(wait) - first > first)
    }

    @Test("a user can test and release it")
    mutating func byHand() {
        _ = does(.fault(.device("gpu0", "device.hung")), at: 0)
        #expect(does(.test, at: 1) == .selfTest)
        #expect(does(.test, at: 2) == nil)
        _ = does(.release, at: 3)
        #expect(health == DeviceHealth())
    }

    @Test("setting back the clock does not extend the quarantine")
    mutating func clock() {
        _ = does(.fault(.device("gpu0", "device.hung")), at: 1_000_000_000)
        #expect(does(.tick, at: 0) == .selfTest)
    }

    @Test("a self-test whose server was killed is repeated")
    mutating func adopted() {
        _ = does(.fault(.device("gpu0", "device.hung")), at: 0)
        _ = does(.test, at: 0)
        health.adopt()
        #expect(health.state == .quarantined)
        #expect(does(.tick, at: 10000) == .selfTest)
    }
}

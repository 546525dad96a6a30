import Testing

@testable import VTXCapture

@Suite("Latency")
struct LatencyMeterTests {
    @Test("the maximum is that of the last second")
    func maximum() {
        var meter = LatencyMeter()
        #expect(meter.maximum == nil)
        meter.note(captured: 9.5, now: 10)
        meter.note(captured: 10, now: 10.25)
        #expect(meter.maximum == 0.5)
        meter.note(captured: 10.875, now: 11)
        #expect(meter.maximum == 0.25)
    }

    @Test("a timestamp in the future is no latency")
    func future() {
        var meter = LatencyMeter()
        meter.note(captured: 11, now: 10)
        #expect(meter.maximum == 0)
    }
}

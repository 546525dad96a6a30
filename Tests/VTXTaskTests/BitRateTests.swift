import Testing
import VTXTask

@Suite("Bits per second")
struct BitRateTests {
    @Test("bits are counted at their DTS, and the last span ends with the video")
    func spans() {
        var meter = BitRateMeter()
        #expect(meter.rates == nil)
        for frame in 0..<30 {
            let time = Double(frame) / 25
            meter.note(byteCount: frame < 13 ? 100 : 200, from: time, to: time + 0.04)
        }
        let rates = meter.rates
        #expect(rates?.interval == 0.5)
        #expect(rates?.values.count == 3)
        #expect(rates?.values.first == 20_000)
        #expect(rates?.values.last == 40_000)
        #expect(meter.byteCount == 13 * 100 + 17 * 200, "not the sum of intervals, the last of which is short")
    }

    @Test("bits between two readings are spread over the time between them, in any order")
    func order() {
        var (meter, other) = (BitRateMeter(), BitRateMeter())
        meter.note(byteCount: 1000, from: 0, to: 2)
        meter.note(byteCount: 500, from: 2, to: 3)
        other.note(byteCount: 500, from: 2, to: 3)
        other.note(byteCount: 1000, from: 0, to: 2)
        #expect(meter == other)
        #expect(meter.rates?.values == [4000, 4000, 4000, 4000, 4000, 4000])
    }

    @Test("the number of spans is limited, and no bit is lost")
    func long() throws {
        var meter = BitRateMeter()
        for second in 0..<7200 { meter.note(byteCount: 125, from: Double(second), to: Double(second + 1)) }
        let rates = try #require(meter.rates)
        #expect(rates.values.count <= BitRateMeter.limit && rates.values.count > BitRateMeter.limit / 3)
        #expect(Set(rates.values) == [1000])
        #expect(Double(rates.values.count) * rates.interval == 7200)
    }

    @Test("invalid times are ignored, and a video may begin at any time")
    func strange() {
        var meter = BitRateMeter()
        meter.note(byteCount: 1, from: .nan, to: 1)
        meter.note(byteCount: 1, from: 0, to: .infinity)
        meter.note(byteCount: 1, from: 1e30, to: 1e30)
        #expect(meter.rates == nil)
        meter.note(byteCount: 125, from: 3600, to: 3600.5)
        meter.note(byteCount: 125, from: 3600.5, to: 3600.52)
        #expect(meter.rates?.values == [4000], "next to no time is no span of its own")
    }
}

import Testing

@testable import VTXMedia

@Suite("Timestamps: discontinuities")
struct TimestampDiscontinuityTests {
    @Test("a discontinuity is removed, so that time continues", arguments: [500_000, -500_000, 8000, 100])
    func discontinuity(to start: Int64) {
        for kind in [StreamTimeline.Kind.audio, .copiedVideo] {
            var program = Program([kind], isTransportStream: true)
            for time in steady(250) + steady(60, from: start) {
                program.take(PacketTimes(pts: time, dts: time, duration: 40))
            }
            program.finish()
            #expect(program.times[0] == steady(310))
            #expect(program.normalizer.discontinuities == 1 && program.normalizer.outliers == 0)
        }
    }

    @Test("in a format without them, a step back is a discontinuity, and a leap is a gap up to a day")
    func otherFormats() {
        let gap = steady(10) + steady(60, from: 3_600_000)
        #expect(Program.times(of: gap) == gap)
        #expect(Program.times(of: steady(10) + steady(60, from: 90_000_000)) == steady(70))
        #expect(Program.times(of: steady(60, from: 9000) + steady(60)) == steady(120, from: 9000))
    }

    @Test("all streams shift together, each at its own packets")
    func together() {
        var program = Program([.copiedVideo, .audio], isTransportStream: true)
        program.record(from: 10_000, packets: 20, streams: 2)
        program.take(steady(5, from: 10_800), of: 1)
        program.record(from: 500_000, packets: 60, streams: 2)
        program.finish()
        // The audio ends later, so it decides; the video has a short gap.
        #expect(program.times[1] == steady(85, from: 10_000))
        #expect(program.times[0] == steady(20, from: 10_000) + steady(60, from: 11_000))
        #expect(program.normalizer.discontinuities == 1)
    }

    @Test("a gap in one stream is no discontinuity")
    func hole() {
        var program = Program([.audio, .audio], isTransportStream: true)
        program.take([0], of: 1)
        program.take(steady(500), of: 0)
        program.take(steady(60, from: 20_000), of: 1)
        program.take(steady(60, from: 20_000), of: 0)
        program.finish()
        #expect(program.normalizer.discontinuities == 0 && program.times[1]?[1] == 20_000)
    }

    @Test("three recordings are contiguous, even if the third fits the first's timeline")
    func recordings() {
        var program = Program(isTransportStream: true)
        for start in [0, 100_000, 4000] as [Int64] { program.record(from: start, packets: 40) }
        program.finish()
        #expect(program.times[0] == steady(120) && program.normalizer.discontinuities == 2)
    }

    @Test(
        "a recording with earlier times than its predecessor is placed after it",
        arguments: [[0, 12_000, 8000], [0, 8000, 8000], [20_000, 19_500]])
    func order(of starts: [Int64]) {
        var program = Program([.copiedVideo, .audio], isTransportStream: true)
        for start in starts { program.record(from: start, packets: 40, streams: 2) }
        program.finish()
        for stream in 0..<2 {
            let times = program.times[stream]?.compactMap(\.self) ?? []
            #expect(times.count == starts.count * 40 && zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        }
        #expect(program.times[0] == program.times[1])
    }

    @Test("an outlier shifts no other packet", arguments: [500_000, -500_000, 5000, -5000, -2000], [1, 3])
    func outlier(by leap: Int64, count: Int) {
        var program = Program([.audio, .audio], isTransportStream: true)
        let range = 4..<4 + count
        for index in 0..<60 {
            program.take([Int64(index) * 40 + (range.contains(index) ? leap : 0)], of: 0)
            program.take([Int64(index) * 40], of: 1)
        }
        program.finish()
        #expect(program.times[0] == steady(60) && program.times[1] == steady(60))
        #expect(program.normalizer.discontinuities == 0 && program.normalizer.outliers == count)
    }

    @Test("subtitles shift with the rest, before and after the discontinuity is confirmed")
    func subtitles() {
        var program = Program([.audio, .sparse], isTransportStream: true)
        program.record(from: 0, packets: 50)
        program.take([1900], of: 1)
        program.record(from: 500_000, packets: 5)
        program.take([500_100], of: 1)
        program.record(from: 500_200, packets: 60)
        program.take([502_000], of: 1)
        #expect(program.times[1] == [1900, 2100, 4000])
    }
}

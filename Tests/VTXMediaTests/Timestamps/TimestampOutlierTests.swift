import Testing

@testable import VTXMedia

@Suite("Timestamps: gaps and outliers")
struct TimestampOutlierTests {
    @Test("increasing, repeated, slightly decreasing or missing times pass at once")
    func plain() {
        var program = Program([.decodedVideo])
        program.take([0, 40, 40, nil, 20, 120, 1100, 1000, 1140])
        #expect(program.mostWaiting == 0 && program.normalizer.outliers == 0)
        #expect(program.times[0] == [0, 40, 40, nil, 20, 120, 1100, 1000, 1140])
    }

    @Test("a gap is kept with any reordering after it", arguments: [[], [5060], [5060, 5040], [80, 120]])
    func gap(reordered: [Int64]) {
        let times = [0, 40, 5100] + reordered + steady(40, from: 5140)
        #expect(Program.times(of: times, .decodedVideo) == times)
    }

    @Test("if each time is a leap, few packets wait", arguments: [[2000], [6000, 2000, 4000]])
    func slideshow(pattern: [Int64]) {
        let times = (0..<50).flatMap { group in pattern.map { $0 + Int64(group * pattern.count) * 2000 } }
        var program = Program([.decodedVideo])
        program.take(times)
        #expect(program.mostWaiting <= 5)
        program.finish()
        #expect(program.times[0] == times && program.normalizer.outliers == 0)
    }

    @Test("a stream with a low rate has no leaps", arguments: [0.05, 0.5, 2])
    func slow(rate: Double) {
        var program = Program([.decodedVideo], frameRate: Rational(Int(rate * 100), 100))
        program.take(steady(10, by: Int64(1000 / rate)), duration: 0)
        #expect(program.mostWaiting == 0)
    }

    @Test("an outlier gets the next time, and other packets keep theirs", arguments: [9000, 2000, -2000, 90_000_000])
    func outlier(by leap: Int64) {
        for range in [4..<5, 4..<7, 4..<10] {
            let times = (0..<60).map { Int64($0) * 40 + (range.contains($0) ? leap : 0) }
            #expect(Program.times(of: times) == steady(60), "\(range)")
            // After the decoder, a frame's time is derived from its neighbors'.
            let wanted = steady(60).enumerated().map { range.contains($0) ? nil : $1 }
            let found = Program.times(of: times.map { $0 }, .decodedVideo)
            if leap > 0 { #expect(found == wanted, "\(range)") }
        }
    }

    @Test("a second outlier is found", arguments: [1, 3], [9000, 3000])
    func twice(later: Int, leap: Int64) {
        var times = steady(40)
        times[2] = 9000
        times[2 + later] = leap + Int64(later) * 40
        #expect(Program.times(of: times) == steady(40))
    }

    @Test("audio packets with one damaged time are all replaced")
    func shared() {
        let damaged = (10..<55).map { Int64($0) * 20 + 3_600_000 }
        let times = steady(10, by: 20) + damaged + steady(60, from: 1100, by: 20)
        #expect(Program.times(of: times, isTransportStream: true, duration: 20) == steady(115, by: 20))
    }

    @Test("an outlier after a gap is found, and the gap stays")
    func gapAndOutlier() {
        let times = steady(3) + steady(60, from: 5000)
        var damaged = times
        damaged[10] = 70_000
        #expect(Program.times(of: damaged) == times)
    }

    @Test("at the end of the stream, a leap is kept, and a step back is not")
    func end() {
        #expect(Program.times(of: [0, 9000, 9040]) == [0, 9000, 9040])
        #expect(Program.times(of: [0, 40, 80, -9000]) == [0, 40, 80, 120])
    }

    @Test("no more packets wait than the limit allows")
    func bound() {
        var program = Program()
        program.take(steady(4))
        program.take([Int64?](repeating: 9000, count: 600))
        #expect(program.mostWaiting <= TimestampNormalizer.Limits.held + 2)
        program.finish()
    }

    @Test("packets hidden by an edit list may have any time")
    func hidden() {
        var program = Program([.decodedVideo])
        for pts in [-9000, -8960, 0, 40, -3000, -2960, 80] as [Int64] {
            program.take(PacketTimes(pts: pts, dts: pts, duration: 40, isHidden: pts < 0))
        }
        #expect(program.times[0] == [-9000, -8960, 0, 40, -3000, -2960, 80])
        #expect(program.mostWaiting == 0 && program.normalizer.discontinuities == 0)
    }

    @Test("invalid times and durations are harmless")
    func wild() {
        var program = Program([.decodedVideo, .audio, .sparse])
        for stream in 0..<3 {
            for pts in [0, Int64.max, .min, 1 << 61, 40] {
                program.take(PacketTimes(pts: pts, dts: pts, duration: .max), of: stream)
            }
        }
        program.finish()
        #expect(program.times[0] == [0, nil, nil, nil, 40])
    }
}

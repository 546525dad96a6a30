import Foundation
import Testing
import VTXMedia

@testable import VTXTranscode

private let milliseconds = Rational(1, 1000)

/// Packets of 40 ms, unless something else is said, on their way through a normalizer.
private struct Program {
    var normalizer: TimestampNormalizer
    /// Milliseconds of each stream's packets, in their order; nil for one without a time.
    var times: [Int: [Int64?]] = [:]
    var dts: [Int: [Int64?]] = [:]
    var waiting = 0
    var mostWaiting = 0

    init(
        _ kinds: [StreamTimeline.Kind] = [.audio], offset: Double = 0, end: Double? = nil,
        isTransportStream: Bool = false, wrapBits: Int = 64, frameRate: Rational = Rational(25, 1)
    ) {
        let timelines = kinds.map { kind in
            StreamTimeline(
                kind, timeBase: milliseconds, wrapBits: wrapBits,
                frameRate: kind == .audio ? Rational(0, 1) : frameRate)
        }
        normalizer = TimestampNormalizer(
            Dictionary(uniqueKeysWithValues: timelines.enumerated().map { ($0, $1) }), offset: offset, end: end,
            hasDiscontinuities: isTransportStream)
    }

    mutating func take(_ times: PacketTimes, of stream: Int = 0) {
        waiting += 1
        note(normalizer.take(times, of: stream), stream)
        mostWaiting = max(mostWaiting, waiting)
    }

    /// - Parameter pts: milliseconds.
    mutating func take(_ pts: [Int64?], of stream: Int = 0, duration: Int64 = 40) {
        for pts in pts { take(PacketTimes(pts: pts, duration: duration), of: stream) }
    }

    /// Milliseconds of a recording with a stream each.
    mutating func record(from start: Int64, packets: Int, streams: Int = 1) {
        for index in 0..<packets {
            let time = start + Int64(index) * 40
            for stream in 0..<streams { take(PacketTimes(pts: time, dts: time, duration: 40), of: stream) }
        }
    }

    mutating func finish() {
        for stream in 0..<8 { note(normalizer.finish(stream), stream) }
        #expect(waiting == 0 && normalizer.isSettled)
    }

    private mutating func note(_ settled: [PacketTimes], _ stream: Int) {
        waiting -= settled.count
        times[stream, default: []] += settled.map(\.pts)
        dts[stream, default: []] += settled.map(\.dts)
    }

    /// The times of one stream's packets, once all have come.
    static func times(
        of pts: [Int64?], _ kind: StreamTimeline.Kind = .audio, isTransportStream: Bool = false, duration: Int64 = 40
    ) -> [Int64?] {
        var program = Program([kind], isTransportStream: isTransportStream)
        program.take(pts, duration: duration)
        program.finish()
        return program.times[0] ?? []
    }
}

private func steady(_ count: Int, from start: Int64 = 0, by step: Int64 = 40) -> [Int64?] {
    (0..<count).map { start + Int64($0) * step }
}

@Suite("Timestamps: gaps and outliers")
struct TimestampOutlierTests {
    @Test("times that rise, repeat, step back a little or are missing pass at once")
    func plain() {
        var program = Program([.decodedVideo])
        program.take([0, 40, 40, nil, 20, 120, 1100, 1000, 1140])
        #expect(program.mostWaiting == 0 && program.normalizer.outliers == 0)
        #expect(program.times[0] == [0, 40, 40, nil, 20, 120, 1100, 1000, 1140])
    }

    @Test("a gap stays, whatever is reordered after it", arguments: [[], [5060], [5060, 5040], [80, 120]])
    func gap(reordered: [Int64]) {
        let times = [0, 40, 5100] + reordered + steady(40, from: 5140)
        #expect(Program.times(of: times, .decodedVideo) == times)
    }

    @Test("where each time is a leap, few wait", arguments: [[2000], [6000, 2000, 4000]])
    func slideshow(pattern: [Int64]) {
        let times = (0..<50).flatMap { group in pattern.map { $0 + Int64(group * pattern.count) * 2000 } }
        var program = Program([.decodedVideo])
        program.take(times)
        #expect(program.mostWaiting <= 5)
        program.finish()
        #expect(program.times[0] == times && program.normalizer.outliers == 0)
    }

    @Test("a slow stream has no leaps", arguments: [0.05, 0.5, 2])
    func slow(rate: Double) {
        var program = Program([.decodedVideo], frameRate: Rational(Int(rate * 100), 100))
        program.take(steady(10, by: Int64(1000 / rate)), duration: 0)
        #expect(program.mostWaiting == 0)
    }

    @Test("an outlier gets the next time, and no other packet another one", arguments: [9000, 2000, -2000, 90_000_000])
    func outlier(by leap: Int64) {
        for range in [4..<5, 4..<7, 4..<10] {
            let times = (0..<60).map { Int64($0) * 40 + (range.contains($0) ? leap : 0) }
            #expect(Program.times(of: times) == steady(60), "\(range)")
            // A frame's time follows from those around it, after the decoder.
            let wanted = steady(60).enumerated().map { range.contains($0) ? nil : $1 }
            let found = Program.times(of: times.map { $0 }, .decodedVideo)
            if leap > 0 { #expect(found == wanted, "\(range)") }
        }
    }

    @Test("a second one is found as well", arguments: [1, 3], [9000, 3000])
    func twice(later: Int, leap: Int64) {
        var times = steady(40)
        times[2] = 9000
        times[2 + later] = leap + Int64(later) * 40
        #expect(Program.times(of: times) == steady(40))
    }

    @Test("audio that shares one damaged time is replaced as a whole")
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

    @Test("when the end comes first, a leap is believed, and a step back is not")
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

    @Test("what an edit list hides may lie anywhere")
    func hidden() {
        var program = Program([.decodedVideo])
        for pts in [-9000, -8960, 0, 40, -3000, -2960, 80] as [Int64] {
            program.take(PacketTimes(pts: pts, dts: pts, duration: 40, isHidden: pts < 0))
        }
        #expect(program.times[0] == [-9000, -8960, 0, 40, -3000, -2960, 80])
        #expect(program.mostWaiting == 0 && program.normalizer.discontinuities == 0)
    }

    @Test("numbers that are no times, and durations that are none, do no harm")
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

@Suite("Timestamps: discontinuities")
struct TimestampDiscontinuityTests {
    @Test("one is removed, so that time goes on", arguments: [500_000, -500_000, 8000, 100])
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

    @Test("where the format has none, a step back is one, and a leap is a gap up to a day")
    func otherFormats() {
        let gap = steady(10) + steady(60, from: 3_600_000)
        #expect(Program.times(of: gap) == gap)
        #expect(Program.times(of: steady(10) + steady(60, from: 90_000_000)) == steady(70))
        #expect(Program.times(of: steady(60, from: 9000) + steady(60)) == steady(120, from: 9000))
    }

    @Test("all streams move together, each when its own packets do")
    func together() {
        var program = Program([.copiedVideo, .audio], isTransportStream: true)
        program.record(from: 10_000, packets: 20, streams: 2)
        program.take(steady(5, from: 10_800), of: 1)
        program.record(from: 500_000, packets: 60, streams: 2)
        program.finish()
        // The audio reaches further, so it decides; the video has a short gap.
        #expect(program.times[1] == steady(85, from: 10_000))
        #expect(program.times[0] == steady(20, from: 10_000) + steady(60, from: 11_000))
        #expect(program.normalizer.discontinuities == 1)
    }

    @Test("a hole in one stream is none")
    func hole() {
        var program = Program([.audio, .audio], isTransportStream: true)
        program.take([0], of: 1)
        program.take(steady(500), of: 0)
        program.take(steady(60, from: 20_000), of: 1)
        program.take(steady(60, from: 20_000), of: 0)
        program.finish()
        #expect(program.normalizer.discontinuities == 0 && program.times[1]?[1] == 20_000)
    }

    @Test("three recordings follow each other without a pause, also where the third fits the first's timeline")
    func recordings() {
        var program = Program(isTransportStream: true)
        for start in [0, 100_000, 4000] as [Int64] { program.record(from: start, packets: 40) }
        program.finish()
        #expect(program.times[0] == steady(120) && program.normalizer.discontinuities == 2)
    }

    @Test(
        "a recording that comes before the one it follows is put after it",
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

    @Test("an outlier moves no other packet", arguments: [500_000, -500_000, 5000, -5000, -2000], [1, 3])
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

    @Test("subtitles move with the rest, before the discontinuity is confirmed and after")
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

@Suite("Timestamps: counters, order and range")
struct TimestampOrderTests {
    @Test("a counter that wraps goes on", arguments: [10, 33])
    func wrap(bits: Int) {
        let period = Int64(1) << Int64(bits)
        let times = steady(100, from: period - 200)
        var program = Program([.decodedVideo, .audio], isTransportStream: true, wrapBits: bits)
        for time in times { for stream in 0..<2 { program.take([(time ?? 0) % period], of: stream) } }
        #expect(program.times[0] == times && program.times[1] == times && program.mostWaiting == 0)
        #expect(program.normalizer.discontinuities == 0)
    }

    @Test(
        "decoding times rise, and nothing is shown before it is decoded",
        arguments: [StreamTimeline.Kind.audio, .copiedVideo])
    func order(kind: StreamTimeline.Kind) {
        var program = Program([kind])
        for (pts, dts) in [(0, 0), (10, 10), (10, 10), (8, 8), (20, 30), (60, 50)] as [(Int64, Int64)] {
            program.take(PacketTimes(pts: pts, dts: dts))
        }
        #expect(program.dts[0] == [0, 10, 11, 12, 30, 50])
        #expect(program.times[0] == [0, 10, 11, 12, 30, 60])
    }

    @Test("the offset is added to every time")
    func offset() {
        var program = Program([.decodedVideo, .audio, .sparse], offset: 1.5)
        for stream in 0..<3 { program.take([-500, 0, nil], of: stream) }
        #expect(program.times == [0: [1000, 1500, nil], 1: [1000, 1500, 1540], 2: [1000, 1500, nil]])
    }

    @Test("the range has ended when all audio and video has, or one stream is far past its end")
    func end() {
        var program = Program([.decodedVideo, .audio, .sparse], end: 1)
        program.take(steady(30), of: 1)
        #expect(!program.normalizer.hasEnded)
        // Without decoding times, frames that are shown earlier may still come.
        program.take(steady(30), of: 0)
        #expect(!program.normalizer.hasEnded)
        for time in steady(10, from: 1200) { program.take(PacketTimes(pts: time, dts: time), of: 0) }
        #expect(program.normalizer.hasEnded)
        var alone = Program([.decodedVideo, .audio], end: 1)
        alone.take(steady(290), of: 1)
        #expect(alone.normalizer.hasEnded)
        #expect(!Program([.audio]).normalizer.hasEnded)
    }

    @Test("a job can resume from the state, at any packet")
    func resume() throws {
        var straight = Program([.copiedVideo, .audio], offset: 2, isTransportStream: true, wrapBits: 33)
        var resumed = straight
        for (start, packets) in [(0, 20), (500_000, 60), (3000, 50)] as [(Int64, Int)] {
            for index in 0..<packets {
                let state = try JSONEncoder().encode(resumed.normalizer)
                resumed.normalizer = try JSONDecoder().decode(TimestampNormalizer.self, from: state)
                for stream in 0..<2 {
                    straight.take([start + Int64(index) * 40], of: stream)
                    resumed.take([start + Int64(index) * 40], of: stream)
                }
            }
        }
        #expect(straight.times == resumed.times && straight.normalizer == resumed.normalizer)
    }
}

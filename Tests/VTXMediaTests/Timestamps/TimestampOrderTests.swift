import Foundation
import Testing

@testable import VTXMedia

@Suite("Timestamps: counters, order and range")
struct TimestampOrderTests {
    @Test("audio packets that are shorter than a tick keep their times")
    func shortAudio() {
        // TrueHD in Matroska: packets of 0.83 ms.
        let times = (0..<Int64(1000)).map { $0 * 5 / 6 }
        var program = Program([.audio])
        program.take(times, duration: 1)
        program.finish()
        #expect(program.times[0] == times && program.dts[0] == times)
    }

    @Test("a wrapped counter continues", arguments: [10, 33])
    func wrap(bits: Int) {
        let period = Int64(1) << Int64(bits)
        let times = steady(100, from: period - 200)
        var program = Program([.decodedVideo, .audio], isTransportStream: true, wrapBits: bits)
        for time in times { for stream in 0..<2 { program.take([(time ?? 0) % period], of: stream) } }
        #expect(program.times[0] == times && program.times[1] == times && program.mostWaiting == 0)
        #expect(program.normalizer.discontinuities == 0)
    }

    @Test(
        "DTS increases, or in audio does not decrease, and PTS is never before DTS",
        arguments: [StreamTimeline.Kind.audio, .copiedVideo])
    func order(kind: StreamTimeline.Kind) {
        var program = Program([kind])
        for (pts, dts) in [(0, 0), (10, 10), (10, 10), (8, 8), (20, 30), (60, 50)] as [(Int64, Int64)] {
            program.take(PacketTimes(pts: pts, dts: dts))
        }
        let isAudio = kind == .audio
        #expect(program.dts[0] == (isAudio ? [0, 10, 10, 10, 30, 50] : [0, 10, 11, 12, 30, 50]))
        #expect(program.times[0] == (isAudio ? [0, 10, 10, 10, 30, 60] : [0, 10, 11, 12, 30, 60]))
    }

    @Test("the offset is added to every time")
    func offset() {
        var program = Program([.decodedVideo, .audio, .sparse], offset: 1.5)
        for stream in 0..<3 { program.take([-500, 0, nil], of: stream) }
        #expect(program.times == [0: [1000, 1500, nil], 1: [1000, 1500, 1540], 2: [1000, 1500, nil]])
    }

    @Test("the range ends when all audio and video has ended, or one stream is far past the end")
    func end() {
        var program = Program([.decodedVideo, .audio, .sparse], end: 1)
        program.take(steady(30), of: 1)
        #expect(!program.normalizer.hasEnded)
        // Without DTS, frames with an earlier PTS may still follow.
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

import Testing
import VTXMedia
import VTXSession

@Suite("A session's timestamps")
struct MonotonicTimestampsTests {
    @Test(
        "the first frame's times are exact, and others are precise enough",
        arguments: [
            Rational(1, 30), Rational(1001, 30000), Rational(1, 1000), Rational(1, 1_000_000), Rational(1, 600),
        ])
    func whole(base: Rational) throws {
        let clock = MonotonicTimestamps(first: base)
        #expect(clock.timeBase.value <= 1.0 / 90_000)
        for ticks in [0, 1, 7, 12_345] as [Int64] {
            let time = MediaTime(try clock.ticks(MediaTime(ticks, base)), clock.timeBase)
            #expect(time.rescaled(to: base).ticks == ticks)
            #expect(
                time.seconds == MediaTime(ticks, base).seconds
                    || abs(time.seconds - MediaTime(ticks, base).seconds) < 1e-12)
        }
    }

    @Test("times must increase, and be valid")
    func rising() throws {
        var clock = MonotonicTimestamps(first: Rational(1, 30))
        _ = try clock.advance(to: MediaTime(5, Rational(1, 30)))
        #expect(throws: SessionError.self) { _ = try clock.advance(to: MediaTime(5, Rational(1, 30))) }
        #expect(throws: SessionError.self) { _ = try clock.advance(to: MediaTime(0, Rational(0, 1))) }
        #expect(throws: SessionError.self) { _ = try clock.advance(to: MediaTime(.max, Rational(1, 1))) }
        _ = try clock.advance(to: MediaTime(6, Rational(1, 30)))
    }

    @Test("output is matched with its input, and skipped input is lost")
    func pending() {
        var frames = PendingFrames<String>()
        for (index, name) in ["a", "d", "b", "c"].enumerated() {
            frames.insert(name, at: [0, 30, 10, 20][index])
        }
        #expect(frames.contents == ["a", "b", "c", "d"])
        #expect(frames.remove(at: 10) == "b" && frames.remove(at: 11) == nil)
        #expect(frames.removeAll(before: 20) == ["a"])
        #expect(frames.contains(upTo: 20) && !frames.contains(upTo: 19))
        #expect(frames.removeAll() == ["c", "d"] && frames.count == 0)
    }
}

import Testing
import VTXSession

@Suite("Key frames and durations")
struct EncodingMemoryTests {
    @Test("a key frame is forced at the first frame after the interval")
    func force() {
        var clock = KeyFrameScheduler(interval: 100)
        var forced: [Int64] = []
        for time in [0, 99, 100, 150, 199, 200] as [Int64] where clock.mustForce(at: time) { forced.append(time) }
        #expect(forced == [100, 200])
    }

    @Test("the frame count limits the interval too")
    func counted() {
        var clock = KeyFrameScheduler(interval: 100, frameCount: 3)
        var forced: [Int64] = []
        for time in [0, 10, 20, 30, 140, 150, 160, 170] as [Int64] where clock.mustForce(at: time) {
            forced.append(time)
        }
        #expect(forced == [30, 140, 170])
    }

    @Test("fixed key frames are at multiples of the interval, independent of the encoder's")
    func fixed() {
        var clock = KeyFrameScheduler(interval: 100, isFixed: true)
        var forced: [Int64] = []
        for time in [7, 100, 110, 150, 207, 290, 320, 406, 407, 720, 806, 807] as [Int64] {
            if clock.mustForce(at: time) { forced.append(time) }
            if time == 150 { clock.noteKeyFrame(at: time) }
        }
        #expect(forced == [110, 207, 320, 407, 720, 807])
    }

    @Test("fixed key frames of a video that another encoder began are where it would have put them")
    func resumed() {
        var clock = KeyFrameScheduler(interval: 100, isFixed: true, after: 7)
        var forced: [Int64] = []
        for time in [110, 150, 207, 290, 320] as [Int64] where clock.mustForce(at: time) { forced.append(time) }
        #expect(forced == [110, 207, 320])
    }

    @Test("an encoder's key frame restarts the interval")
    func chosen() {
        var clock = KeyFrameScheduler(interval: 100)
        _ = clock.mustForce(at: 0)
        clock.noteKeyFrame(at: 90)
        let (early, late) = (clock.mustForce(at: 100), clock.mustForce(at: 190))
        #expect(!early && late)
        clock.noteKeyFrame(at: 120)
        let again = clock.mustForce(at: 289)
        #expect(!again, "one from before does not turn it back")
    }

    @Test("each packet gets its frame's duration, in any order")
    func durations() {
        var memory = FrameDurations(frameDuration: 40)
        for (pts, duration) in [(0, 10), (10, 0), (50, 30)] as [(Int64, Int64)] {
            _ = memory.note(pts: pts, duration: duration)
        }
        var taken: [Int64] = []
        for pts in [50, 0, 10, 99] as [Int64] { taken.append(memory.take(pts: pts)) }
        #expect(taken == [30, 10, 40, 40])
    }

    @Test("a duration is never zero")
    func atLeastOne() {
        var memory = FrameDurations(frameDuration: 0)
        let duration = memory.take(pts: 5)
        #expect(duration == 1)
    }
}

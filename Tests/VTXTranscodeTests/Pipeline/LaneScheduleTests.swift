import Testing

@testable import VTXTranscode

@Suite("Lane scheduling")
struct LaneScheduleTests {
    private let start = ContinuousClock.now

    private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

    /// Lanes with these durations per segment; each has done one.
    private func schedule(_ paces: [Double], segments: Int) -> LaneSchedule {
        var schedule = LaneSchedule(lanes: paces.count, segments: segments)
        for lane in paces.indices { schedule.begin(lane, at: start) }
        return schedule
    }

    /// A lane requests a segment at each of these seconds.
    private func ask(_ schedule: inout LaneSchedule, _ lane: Int, at seconds: [Double]) -> [Bool] {
        seconds.map { schedule.takes(lane, at: at($0)) }
    }

    @Test("all lanes take segments while many are left")
    func much() {
        var schedule = schedule([1, 4], segments: 20)
        let fast = ask(&schedule, 0, at: [1, 2, 3, 4])
        let slow = ask(&schedule, 1, at: [4])
        #expect(!fast.contains(false) && slow == [true])
    }

    @Test("a slow lane takes none if the others finish the rest earlier", arguments: [(7, false), (12, true)])
    func slow(segments: Int, takes: Bool) {
        var schedule = schedule([1, 4], segments: segments)
        let fast = ask(&schedule, 0, at: [1, 2, 3, 4])
        let slow = ask(&schedule, 1, at: [4.1])
        #expect(!fast.contains(false) && slow == [takes])
    }

    @Test("equal lanes take segments up to the last one", arguments: [2, 3, 8])
    func alike(lanes: Int) {
        var schedule = schedule(Array(repeating: 1, count: lanes), segments: lanes + 1)
        let first = ask(&schedule, 0, at: [1])
        #expect(first == [true])
    }

    @Test("a lane with unknown speed takes a segment, and so does the last lane")
    func unknown() {
        var schedule = LaneSchedule(lanes: 2, segments: 3)
        let begun = ask(&schedule, 0, at: [0]) + ask(&schedule, 1, at: [0])
        let fast = ask(&schedule, 0, at: [1, 2])
        let slow = ask(&schedule, 1, at: [60])
        let rest = ask(&schedule, 0, at: [100])
        #expect(begun == [true, true] && fast == [true, true] && slow == [false] && rest == [true])
    }

    @Test("unexpected additional segments are taken")
    func more() {
        var schedule = schedule([1, 1], segments: 2)
        let taken = ask(&schedule, 0, at: [1, 2, 3, 4, 5, 6])
        #expect(!taken.contains(false))
    }
}

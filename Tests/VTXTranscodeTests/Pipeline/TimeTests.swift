import Testing
import VTXMedia
import VTXSession
import VTXTask

@testable import VTXTranscode

@Suite("When frames are shown")
struct FrameTimestampsTests {
    private func times(
        _ timeline: inout FrameTimestamps, _ pts: [Int64?], duration: Int64 = 0
    ) -> [FrameTimestamps.Decision] {
        pts.map { timeline.admit(pts: $0, duration: duration) }
    }

    @Test("rising times stay as they are, whatever the gaps")
    func rising() {
        var timeline = FrameTimestamps(frameDuration: 40, countsFrames: false)
        let decisions = times(&timeline, [-5, 0, 1, 1000, 1001])
        #expect(decisions == [-5, 0, 1, 1000, 1001].map { .show(pts: $0) })
        #expect(timeline.repairs == 0)
    }

    @Test("a time that does not rise is moved just behind the one before, and counted")
    func repeated() {
        var timeline = FrameTimestamps(frameDuration: 40, countsFrames: false)
        let decisions = times(&timeline, [10, 10, 5, 50])
        #expect(decisions == [10, 11, 12, 50].map { .show(pts: $0) })
        #expect(timeline.repairs == 2)
    }

    @Test("a missing time follows from the one before and its duration")
    func missing() {
        var timeline = FrameTimestamps(frameDuration: 40, countsFrames: false)
        let decisions = times(&timeline, [nil, nil, 100, nil])
        #expect(decisions == [0, 40, 100, 140].map { .show(pts: $0) })
        let long = timeline.admit(pts: nil, duration: 7)
        let next = timeline.admit(pts: nil, duration: 0)
        #expect(long == .show(pts: 180) && next == .show(pts: 187))
    }

    @Test("without times frames are counted")
    func counted() {
        var timeline = FrameTimestamps(frameDuration: 40, countsFrames: true, origin: 100)
        let decisions = times(&timeline, [7, nil, 3], duration: 9)
        #expect(decisions == [100, 140, 180].map { .show(pts: $0) })
    }

    @Test("what lies outside of start and end is left out")
    func cut() {
        var timeline = FrameTimestamps(frameDuration: 10, countsFrames: false, start: 20, end: 40)
        let decisions = times(&timeline, [0, 19, 20, 39, 40])
        #expect(decisions == [.skip, .skip, .show(pts: 20), .show(pts: 39), .end])
    }

    @Test("a gap that no rate can fill is told")
    func gap() {
        var timeline = FrameTimestamps(frameDuration: 10, countsFrames: false, maxGap: 100)
        let decisions = times(&timeline, [1000, 1100, 1201])
        #expect(decisions == [.show(pts: 1000), .show(pts: 1100), .unfillable(gap: 101)])
    }
}

@Suite("A broadcast's clock")
struct ClockRepairTests {
    /// The repaired times of packets, and which of them began a new clock.
    private func repair(_ packets: [(stream: Int, seconds: Double)]) -> (times: [Double], jumps: [Int]) {
        var repair = ClockRepair()
        var (times, jumps): ([Double], [Int]) = ([], [])
        for (index, packet) in packets.enumerated() {
            let found = repair.observe(stream: packet.stream, seconds: packet.seconds, duration: 0.04)
            times.append(packet.seconds + found.shift)
            if found.isJump { jumps.append(index) }
        }
        return (times, jumps)
    }

    private func isNear(_ found: [Double], _ wanted: [Double]) -> Bool {
        found.count == wanted.count && zip(found, wanted).allSatisfy { abs($0 - $1) < 1e-6 }
    }

    @Test("gaps and small steps back are no jumps")
    func gaps() {
        let seconds = [0, 0.04, 5, 4.9, 14.8]
        let found = repair(seconds.map { (0, $0) })
        #expect(found.jumps.isEmpty && found.times == seconds)
    }

    @Test("a jump is taken out so that the clock goes on", arguments: [500.0, -500, 9])
    func jump(to seconds: Double) {
        let found = repair([(0, 10), (0, seconds), (0, seconds + 0.04)])
        #expect(found.jumps == [1] && isNear(found.times, [10, 10.04, 10.08]))
    }

    @Test("all streams move together, each when its own packets do")
    func together() {
        let found = repair([(0, 10), (1, 10), (0, 500), (1, 10.04), (0, 500.04), (1, 500.04), (1, 500.08)])
        #expect(found.jumps == [2])
        #expect(isNear(found.times, [10, 10, 10.04, 10.04, 10.08, 10.08, 10.12]))
    }

    @Test("a hole in one stream is no jump of the clock")
    func hole() {
        let steady = (0..<20).map { (0, Double($0)) }
        let found = repair([(1, 0)] + steady + [(1, 19)])
        #expect(found.jumps.isEmpty && found.times.last == 19)
    }

    @Test("times that are wrong move no others by a tick", arguments: [500.0, -500, 5, -5, -2], [1, 3])
    func stray(by seconds: Double, count: Int) {
        let astray = 4..<4 + count
        let times = (0..<20).map { Double($0) * 0.04 }
        let found = repair(times.enumerated().map { (0, $1 + (astray.contains($0) ? seconds : 0)) })
        #expect(found.jumps == (seconds == 5 ? [] : [4, astray.upperBound]))
        for index in times.indices where !astray.contains(index) { #expect(found.times[index] == times[index]) }
    }

    @Test("three recordings in a row follow each other without a pause, also where the third fits the first's clock")
    func recordings() {
        let starts = [0.0, 100, 4]
        let found = repair(starts.flatMap { start in (0..<10).map { (0, start + Double($0) * 0.04) } })
        #expect(found.jumps == [10, 20])
        #expect(isNear(found.times, (0..<30).map { Double($0) * 0.04 }))
    }

    @Test("packets that are lost behind one that is wrong are a hole: the other streams still have the clock")
    func strayAndHole() {
        let sound = (0..<40).map { (stream: 1, seconds: Double($0) * 0.02) }
        let pictures = [0, 0.04, 0.08, 500, 0.64, 0.68].map { (stream: 0, seconds: $0) }
        let found = repair(Array(sound[..<20]) + pictures[..<4] + Array(sound[20...]) + pictures[4...])
        #expect(found.times.suffix(2) == [0.64, 0.68] && found.times[20..<23] == [0, 0.04, 0.08])
    }

    @Test(
        "a recording that is put before the one it follows does not come back to it",
        arguments: [[0, 12, 8], [0, 8, 8.0]])
    func order(of starts: [Double]) {
        let found = repair(
            starts.flatMap { start in
                (0..<100).flatMap { index in (0..<2).map { ($0, start + Double(index) * 0.04) } }
            })
        #expect(found.times == found.times.sorted() && found.times.count == 600)
    }
}

import Testing

@testable import VTXTranscode

@Suite("A gap, or a damaged time")
struct LeapDoubtTests {
    private var doubt: LeapDoubt<Int64?> { LeapDoubt(threshold: 100, reordered: 2, proof: 4, patience: (12, 20)) }

    /// What has become of times, in the order in which they were passed on; nil for one that is astray.
    private func judge(_ times: [Int64?], bytes: Int = 1) -> [Int64?] {
        var doubt = doubt
        let judged = times.flatMap { doubt.take($0, at: $0, bytes: bytes) } + doubt.finish()
        #expect(judged.map(\.unit) == times)
        return judged.map { $0.isOutlier ? nil : $0.unit }
    }

    /// The most that has waited at one time.
    private func mostWaiting(_ times: [Int64?], bytes: Int = 1) -> Int {
        var (doubt, waiting, most) = (doubt, 0, 0)
        for time in times {
            waiting += 1 - doubt.take(time, at: time, bytes: bytes).count
            most = max(most, waiting)
        }
        return most
    }

    @Test("times that rise, repeat, step back or are missing are believed at once")
    func plain() { #expect(mostWaiting([0, 40, 40, nil, 20, 120, -500, 200]) == 0) }

    @Test("behind a gap the stream goes on, whatever is reordered", arguments: [[], [1060], [1060, 1040], [80, 120]])
    func gap(reordered: [Int64]) {
        let times: [Int64?] = [0, 40, 1100] + reordered + [1140, 1180, nil, 1220, 1260, 1300, 1340]
        #expect(judge(times) == times)
        #expect(mostWaiting(times) < 8)
    }

    @Test("where every time is a leap, only a few wait", arguments: [[200], [600, 200, 400]])
    func slideshow(_ pattern: [Int64]) {
        let times = (0..<50).flatMap { group in pattern.map { $0 + Int64(group) * 200 * Int64(pattern.count) } }
        #expect(judge(times) == times)
        #expect((1..<8).contains(mostWaiting(times)))
    }

    @Test("a time from which the stream comes back is astray, alone or with others")
    func astray() {
        #expect(judge([0, 40, 9000, 120, 80, 160, 200]) == [0, 40, nil, 120, 80, 160, 200])
        #expect(judge([0, 9080, 9040, 9160, nil, 200, 240, 280]) == [0, nil, nil, nil, nil, 200, 240, 280])
    }

    @Test("the next one is found too, before the first is settled or after", arguments: [1, 3], [9000, 300])
    func twice(later: Int, leap: Int64) {
        var times = (0..<12).map { Int64($0) * 40 }
        times[2] = 9000
        times[2 + later] = leap + Int64(later) * 40
        #expect(judge(times) == times.enumerated().map { [2, 2 + later].contains($0) ? nil : $1 })
    }

    @Test("damage behind a gap is found, and the gap stays")
    func gapAndDamage() {
        let times: [Int64] = [0, 40, 1000, 1040, 1080, 1120, 1160, 7000, 1240, 1280, 1320, 1360]
        #expect(judge(times) == times.map { $0 == 7000 ? nil : $0 })
    }

    @Test("a gap that is proved stays, also where the clock begins anew behind it")
    func restart() {
        let times: [Int64] = [0, 1000, 1040, 1080, 1120, 1160, 0, 40, 80, 120, 160]
        #expect(judge(times) == times)
    }

    @Test("when the end comes first, the leap is believed")
    func end() { #expect(judge([0, 9000, 80, 120]) == [0, 9000, 80, 120]) }

    @Test("packets that share one damaged time are all astray, however many there are to a second")
    func shared() {
        let damaged = (0..<8).map { 9000 + Int64($0) * 10 }
        let times = [0, 10] + damaged + (10..<14).map { Int64($0) * 10 }
        #expect(judge(times) == times.map { $0 >= 9000 ? nil : $0 })
    }

    @Test("no more wait than there is patience for", arguments: [(bytes: 4, most: 5), (1, 12)])
    func patience(bytes: Int, most: Int) {
        let times: [Int64] = [0] + [Int64](repeating: 9000, count: 20)
        #expect(judge(times, bytes: bytes) == times)
        #expect(mostWaiting(times, bytes: bytes) == most)
    }
}

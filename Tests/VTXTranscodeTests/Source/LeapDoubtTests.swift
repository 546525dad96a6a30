import Testing

@testable import VTXTranscode

@Suite("A gap, or a damaged time")
struct LeapDoubtTests {
    /// What has become of times, in the order in which they were passed on; nil for one that is astray.
    private func judge(
        _ times: [Int64?], reordered: Int = 2, patience: (units: Int, bytes: Int) = (100, 1000)
    ) -> [Int64?] {
        var doubt = LeapDoubt<Int64?>(threshold: 100, reordered: reordered, patience: patience)
        var judged: [LeapDoubt<Int64?>.Judged] = []
        for time in times {
            if doubt.believes(time) {
                judged.append(.init(unit: time, isAstray: false))
            } else {
                judged += doubt.hold(time, at: time, bytes: 1)
            }
        }
        judged += doubt.finish()
        #expect(judged.map(\.unit) == times)
        return judged.map { $0.isAstray ? nil : $0.unit }
    }

    @Test("times that rise, repeat, step back or are missing are believed at once")
    func plain() {
        var doubt = LeapDoubt<Int>(threshold: 100, reordered: 2)
        let times: [Int64?] = [0, 40, 40, nil, 20, 120, -500, 200]
        let doubted = times.filter { !doubt.believes($0) }
        #expect(doubted.isEmpty)
    }

    @Test("behind a gap the stream goes on, whatever is reordered", arguments: [[], [1060], [1060, 1040], [80, 120]])
    func gap(reordered: [Int64]) {
        let times: [Int64?] = [0, 40, 1100] + reordered + [1140, 1180, 1220, nil, 1260]
        #expect(judge(times) == times)
    }

    @Test("a time from which the stream comes back is astray, alone or with others")
    func astray() {
        #expect(judge([0, 40, 9000, 120, 80, 160, 200]) == [0, 40, nil, 120, 80, 160, 200])
        #expect(judge([0, 9080, 9040, 9160, nil, 200, 240, 280]) == [0, nil, nil, nil, nil, 200, 240, 280])
    }

    @Test("the next one is found too")
    func twice() {
        let times: [Int64] = [0, 9000, 80, 120, 160, 9000, 240, 280, 320]
        #expect(judge(times) == times.map { $0 == 9000 ? nil : $0 })
    }

    @Test("when the end comes first, the leap is believed")
    func end() { #expect(judge([0, 9000, 80, 120]) == [0, 9000, 80, 120]) }

    @Test("no more waits than there is patience for", arguments: [(units: 3, bytes: 1000), (100, 3)])
    func patience(_ patience: (units: Int, bytes: Int)) {
        let times: [Int64] = [0, 9000, 9040, 9080, 9120, 40, 80, 120]
        #expect(judge(times, patience: patience) == times)
    }
}

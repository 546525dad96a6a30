import Testing

@testable import VTXTranscode

@Suite("Frame pairing")
struct FramePairingTests {
    /// Numbers of the pairs, by the steps.
    private func pairs(_ original: [Double], _ output: [Double]) -> [[Int]] {
        var (one, other, found): (Int, Int, [[Int]]) = (0, 0, [])
        func ahead(_ times: [Double], _ place: Int) -> FramePairing.Ahead {
            let rest = times.dropFirst(place)
            return FramePairing.Ahead(first: rest.first, second: rest.dropFirst().first)
        }
        while true {
            switch FramePairing.step(original: ahead(original, one), output: ahead(output, other)) {
            case .pair:
                found.append([one, other])
                (one, other) = (one + 1, other + 1)
            case .passOriginal: one += 1
            case .passOutput: other += 1
            case .end: return found
            }
        }
    }

    @Test("frames with the same time, to the millisecond, are pairs")
    func rounded() {
        let exact = (0..<60).map { Double($0) * 1001 / 30_000 }
        let rounded = exact.map { ($0 * 1000).rounded() / 1000 }
        #expect(pairs(exact, rounded) == (0..<60).map { [$0, $0] })
        #expect(pairs(rounded, exact) == (0..<60).map { [$0, $0] })
    }

    @Test("frames in only one file are ignored")
    func missing() {
        #expect(pairs([0, 0.04, 0.08, 0.12], [0, 0.08, 0.12]) == [[0, 0], [2, 1], [3, 2]])
        #expect(pairs([0, 0.08], [0, 0.04, 0.08, 0.12]) == [[0, 0], [1, 2]])
        #expect(pairs([0, 0.04], []).isEmpty && pairs([], [0]).isEmpty && pairs([], []).isEmpty)
    }

    @Test("at half the frame rate, every frame has a partner")
    func halved() {
        let times = (0..<20).map { Double($0) / 50 }
        #expect(pairs(times, (0..<10).map { Double($0) / 25 }) == (0..<10).map { [2 * $0, $0] })
    }

    @Test("a variable frame rate is paired")
    func variable() {
        let times = [0, 0.033, 0.1, 0.5, 0.52, 2]
        #expect(pairs(times, times.map { $0 + 0.0004 }) == times.indices.map { [$0, $0] })
    }

    @Test("of several near frames, the nearest is the partner")
    func nearest() {
        #expect(pairs([0, 0.001, 0.002], [0.002]) == [[2, 0]])
        #expect(pairs([0.002], [0, 0.001, 0.002]) == [[0, 2]])
    }
}

import Testing
import VTXSession

@Suite("Which pictures reach a decoder")
struct RandomAccessGateTests {
    private static func info(_ change: (inout RandomAccessGate.AccessUnitInfo) -> Void)
        -> RandomAccessGate.AccessUnitInfo
    {
        var info = RandomAccessGate.AccessUnitInfo()
        change(&info)
        return info
    }

    private let sets = info { $0.hasNewParameterSets = true }
    private let delta = info { $0.isPicture = true }
    private let key = info { ($0.isPicture, $0.isRandomAccess) = (true, true) }
    private let leading = info { ($0.isPicture, $0.isSkippedLeading) = (true, true) }
    private let keyWithSets = info {
        ($0.isPicture, $0.isRandomAccess, $0.hasNewParameterSets) = (true, true, true)
    }

    private func decisions(
        _ units: [RandomAccessGate.AccessUnitInfo], _ gate: inout RandomAccessGate
    ) -> [RandomAccessGate.Decision] {
        units.map { gate.admit($0) }
    }

    @Test("nothing is decoded before the first parameter sets and the first key frame")
    func beginning() {
        var gate = RandomAccessGate()
        #expect(
            decisions([delta, key, sets, delta, key, delta], &gate) == [
                .drop, .drop, .ignore, .drop, .rebuildAndDecode, .decode,
            ])
        #expect(gate.droppedCount == 3)
    }

    @Test("equal parameter sets change nothing, new ones need a new decoder at the next key frame")
    func change() {
        var gate = RandomAccessGate()
        #expect(decisions([keyWithSets, delta, key], &gate) == [.rebuildAndDecode, .decode, .decode])
        #expect(decisions([sets, delta, key, key], &gate) == [.ignore, .decode, .rebuildAndDecode, .decode])
        #expect(gate.droppedCount == 0)
    }

    @Test("after a lost session, the next key frame opens a decoder with the earlier sets")
    func loss() {
        var gate = RandomAccessGate()
        _ = decisions([keyWithSets, delta], &gate)
        gate.sessionLost()
        #expect(decisions([delta, delta, key, delta], &gate) == [.drop, .drop, .rebuildAndDecode, .decode])
        #expect(gate.droppedCount == 2)
    }

    @Test("leading pictures are dropped only after the picture at which decoding began")
    func leadingPictures() {
        var gate = RandomAccessGate()
        #expect(
            decisions([keyWithSets, leading, delta, key, leading], &gate) == [
                .rebuildAndDecode, .drop, .decode, .decode, .decode,
            ])
    }
}

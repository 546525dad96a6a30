import Testing
import VTXSession

@Suite("Which pictures reach a decoder")
struct DecodingGateTests {
    private static func facts(_ change: (inout DecodingGate.Facts) -> Void) -> DecodingGate.Facts {
        var facts = DecodingGate.Facts()
        change(&facts)
        return facts
    }

    private let sets = facts { $0.hasNewParameterSets = true }
    private let delta = facts { $0.isPicture = true }
    private let key = facts { ($0.isPicture, $0.isRandomAccess) = (true, true) }
    private let leading = facts { ($0.isPicture, $0.isSkippedLeading) = (true, true) }
    private let keyWithSets = facts {
        ($0.isPicture, $0.isRandomAccess, $0.hasNewParameterSets) = (true, true, true)
    }

    private func decisions(
        _ units: [DecodingGate.Facts], _ gate: inout DecodingGate
    ) -> [DecodingGate.Decision] {
        units.map { gate.admit($0) }
    }

    @Test("nothing is decoded before the first parameter sets and the first key frame")
    func beginning() {
        var gate = DecodingGate()
        #expect(
            decisions([delta, key, sets, delta, key, delta], &gate) == [
                .drop, .drop, .ignore, .drop, .rebuildAndDecode, .decode,
            ])
        #expect(gate.droppedCount == 3)
    }

    @Test("equal parameter sets change nothing, new ones make the decoder anew at the next key frame")
    func change() {
        var gate = DecodingGate()
        #expect(decisions([keyWithSets, delta, key], &gate) == [.rebuildAndDecode, .decode, .decode])
        #expect(decisions([sets, delta, key, key], &gate) == [.ignore, .decode, .rebuildAndDecode, .decode])
        #expect(gate.droppedCount == 0)
    }

    @Test("behind a lost session, the next key frame makes a decoder with the sets of before")
    func loss() {
        var gate = DecodingGate()
        _ = decisions([keyWithSets, delta], &gate)
        gate.sessionLost()
        #expect(decisions([delta, delta, key, delta], &gate) == [.drop, .drop, .rebuildAndDecode, .decode])
        #expect(gate.droppedCount == 2)
    }

    @Test("leading pictures are dropped behind the picture that decoding began at, and only there")
    func leadingPictures() {
        var gate = DecodingGate()
        #expect(
            decisions([keyWithSets, leading, delta, key, leading], &gate) == [
                .rebuildAndDecode, .drop, .decode, .decode, .decode,
            ])
    }
}

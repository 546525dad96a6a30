import Testing

@testable import VTXTranscode

@Suite("How far a decoded frame may be from its original")
struct FrameRuleTests {
    @Test("the coarser the quantizer the further, and always nearer than another frame is")
    func floor() {
        let floors = (-12...51).map(FrameRule.floor)
        #expect(zip(floors, floors.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(FrameRule.floor(quantizer: 26) > 27 && FrameRule.floor(quantizer: 51) > 7)
    }

    @Test("never further than the rounding of signatures is, however fine the quantizer")
    func finest() { #expect(FrameRule.floor(quantizer: -12) <= 40) }
}

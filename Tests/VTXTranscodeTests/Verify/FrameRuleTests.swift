import Testing

@testable import VTXTranscode

@Suite("How far a decoded frame may be from its original")
struct FrameRuleTests {
    private func isWrong(_ psnr: Double, repeated: Double? = nil, _ quantizer: Int) -> Bool {
        FrameRule.isWrong(psnr: psnr, repeated: repeated, quantizer: quantizer)
    }

    @Test("the coarser the quantizer the further, and always nearer than another frame is")
    func quantizers() {
        let limits = (-12...51).map { quantizer in (0...60).first { !isWrong(Double($0), quantizer) } ?? 61 }
        #expect(zip(limits, limits.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(isWrong(30, 26) && !isWrong(31, 26) && isWrong(10, 51) && !isWrong(11, 51))
    }

    @Test("never further than the rounding of signatures is, however fine the quantizer")
    func finest() { #expect(!isWrong(43, -12)) }

    @Test("a frame at the edge is wrong where the frame before is nearer to the original than it is")
    func repeated() {
        #expect(isWrong(32, repeated: 40, 26) && !isWrong(32, repeated: 34, 26))
        // As exact as its quantizer: the frame before was better than it had to be.
        #expect(!isWrong(36, repeated: 60, 26))
    }

    @Test("x264's blocks with sharp edges may be coarser than the slice header says")
    func adaptive() {
        #expect(isWrong(39.9, repeated: 45, 13) && !isWrong(39.9, repeated: 45, 13 + FrameRule.adaptation))
    }
}

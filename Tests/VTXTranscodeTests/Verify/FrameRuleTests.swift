import Testing

@testable import VTXTranscode

@Suite("The allowed difference of a decoded frame")
struct FrameRuleTests {
    private func isWrong(_ psnr: Double, repeated: Double? = nil, _ quantizer: Int) -> Bool {
        FrameRule.isWrong(psnr: psnr, repeated: repeated, quantizer: quantizer)
    }

    @Test("a coarser quantizer allows more, but always less than another frame's difference")
    func quantizers() {
        let limits = (-12...51).map { quantizer in (0...60).first { !isWrong(Double($0), quantizer) } ?? 61 }
        #expect(zip(limits, limits.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(isWrong(30, 26) && !isWrong(31, 26) && isWrong(10, 51) && !isWrong(11, 51))
    }

    @Test("the minimum is the rounding of signatures, for any quantizer")
    func finest() { #expect(!isWrong(43, -12)) }

    @Test("a frame near the limit is wrong if the previous frame is closer to the original")
    func repeated() {
        #expect(isWrong(32, repeated: 40, 26) && !isWrong(32, repeated: 34, 26))
        // As exact as its quantizer: the previous frame was better than required.
        #expect(!isWrong(36, repeated: 60, 26))
    }

    @Test("at the coarsest quantizer, only the previous frame can show that one is wrong")
    func beyond() {
        #expect(!isWrong(2, 52) && isWrong(2, repeated: 6, 52) && !isWrong(16, repeated: 30, 52))
    }

    @Test("x264's blocks with sharp edges may be coarser than the slice header's quantizer")
    func adaptive() {
        #expect(isWrong(39.9, repeated: 45, 13) && !isWrong(39.9, repeated: 45, 13 + FrameRule.adaptation))
    }
}

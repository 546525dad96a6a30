/// What came of using a device for a few frames.
package struct SelfTestResult: Sendable, Hashable, Codable {
    package enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        case passed
        /// Nothing came out, or something else than it should.
        case failed
        /// The driver took its process down.
        case crashed
        /// The driver did not come back.
        case hung
        /// There is nothing to try it with.
        case skipped
    }

    package var verdict: Verdict
    /// Pictures that came out.
    package var frames: Int?
    /// Peak signal-to-noise ratio in dB, of the worst plane; nil where the pictures are the same, or there are none.
    package var psnr: Double?
    /// What is wrong, or why nothing was tried, in words; nil where all is well.
    package var evidence: String?

    package init(_ verdict: Verdict, frames: Int? = nil, psnr: Double? = nil, evidence: String? = nil) {
        self.verdict = verdict
        self.frames = frames
        self.psnr = psnr
        self.evidence = evidence
    }
}

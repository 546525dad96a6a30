/// What the check of the output found.
package struct VerificationReport: Sendable, Hashable, Codable {
    package var mode: VerificationLevel
    /// The number of decoded frames that were compared with the encoder's input.
    package var framesCompared = 0
    /// The PSNR of the worst row of blocks in any of them, in dB; nil if all are equal, or none was compared.
    package var worstPSNR: Double?
    /// The number of frames that an earlier check rejected.
    package var framesEncodedAgain = 0

    package init(_ mode: VerificationLevel) { self.mode = mode }

    package mutating func note(psnr: Double) {
        framesCompared += 1
        guard psnr.isFinite else { return }
        worstPSNR = min(worstPSNR ?? .infinity, (psnr * 10).rounded() / 10)
    }
}

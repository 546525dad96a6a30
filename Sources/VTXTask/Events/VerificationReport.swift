/// What the check of the output found.
package struct VerificationReport: Sendable, Hashable, Codable {
    package var mode: VerificationLevel
    /// The number of decoded frames that were compared with the encoder's input.
    package var framesCompared = 0
    /// The PSNR of the worst row of blocks in any of them, in dB; nil if all are equal, or none was compared.
    package var worstPSNR: Double?
    /// The same over time; nil if all are equal, or none was compared.
    package var quality: QualityCurve?
    /// The number of frames that an earlier check rejected.
    package var framesEncodedAgain = 0

    package init(_ mode: VerificationLevel) { self.mode = mode }

    /// - Parameter time: The time of the frame in the output, in seconds.
    package mutating func note(psnr: Double, at time: Double?) {
        framesCompared += 1
        guard psnr.isFinite else { return }
        let rounded = (psnr * 10).rounded() / 10
        worstPSNR = min(worstPSNR ?? .infinity, rounded)
        guard let time else { return }
        var curve = quality ?? QualityCurve()
        curve.note(psnr: rounded, at: time)
        quality = curve
    }
}

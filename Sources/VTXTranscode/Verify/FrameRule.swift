/// How far a decoded frame may be from its original.
///
/// A quantizer QP rounds to steps of 2^((QP - 4) / 6) (H.264 8.5.9, H.265 8.6.3), so an encoder that follows its input
/// is never further from it than a part of such a step: the signatures of frames that x264 and x265 code, whatever they
/// show, keep 56 - 0.8 QP dB and more.
///
/// GPUs change the quantizer within a picture, of which a slice header does not tell. So a frame that is further away is
/// wrong only where it is so by a margin, or where the frame shown before is nearer: to repeat that one costs nothing.
enum FrameRule {
    /// dB.
    private static let (margin, lead) = (5.0, 3.0)

    /// - Parameters:
    ///   - psnr: of the frame's signature against its original's, in dB.
    ///   - repeated: of the signature of the frame shown before, against the same original; nil for a key frame.
    ///   - quantizer: SliceQpY. Below 10 it is the rounding of the signatures that counts.
    static func isWrong(psnr: Double, repeated: Double?, quantizer: Int) -> Bool {
        let floor = 56 - 0.8 * Double(max(10, quantizer))
        return psnr < floor - margin || psnr < floor && psnr < (repeated ?? 0) - lead
    }
}

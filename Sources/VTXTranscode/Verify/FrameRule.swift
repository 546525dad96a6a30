/// How far a decoded frame may be from its original.
///
/// A quantizer QP rounds to steps of 2^((QP - 4) / 6) (H.264 8.5.9, H.265 8.6.3), so an encoder that follows its input
/// is never further from it than a part of such a step: the signatures of frames that x264 and x265 code, whatever they
/// show, keep 56 - 0.8 QP dB and more. GPUs change the quantizer within a picture, of which a slice header does not
/// tell: hence a margin of 8 dB.
enum FrameRule {
    /// The least PSNR of signatures, in dB. Below a quantizer of 10 it is the rounding of the signatures that counts.
    static func floor(quantizer: Int) -> Double { 48 - 0.8 * Double(max(10, quantizer)) }
}

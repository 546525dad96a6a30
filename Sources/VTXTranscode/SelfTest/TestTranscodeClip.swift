import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

extension TestTranscodeClip {
    package func make() throws(TranscodeError) {
        do { try write() } catch {
            throw TranscodeError(.trialClip, "a clip for the trial cannot be made: \(error)")
        }
    }

    /// How near the output is to the input, in dB; nil where nothing differs.
    package func compare() throws(TranscodeError) -> Double? {
        do {
            let psnr = try PSNR.psnr(try Self.decode(output), from: try Self.decode(input))
            guard psnr >= SelfTest.floor else { throw SelfTestFailure("PSNR \((psnr * 10).rounded() / 10) dB") }
            return psnr.isFinite ? (psnr * 10).rounded() / 10 : nil
        } catch {
            let evidence = (error as? SelfTestFailure)?.evidence ?? "\(error)"
            throw TranscodeError(
                .trialPictures, "the output's pictures are not the input's: \(evidence)")
        }
    }

    /// What the output is compared with is what a decoder makes of it, so it may be lossy itself.
    private func write() throws {
        let picture = TestPattern(
            size: PixelSize(640, 360), pixelFormat: .planar(.yuv420, bitDepth: 8), frameCount: 25)
        guard let coding = TestEncoder(codec: "h264", profile: .high) ?? TestEncoder(codec: "mpeg2video", profile: nil)
        else { throw SelfTestFailure("this FFmpeg has no encoder for it") }
        try coding.encode(picture).write(to: input)
    }

    private static func decode(_ path: String) throws -> [Frame] {
        let clip = try TestClip(reading: path)
        return try clip.decode(try clip.packets())
    }
}

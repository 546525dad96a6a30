import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
package import VTXTask

/// Measures the difference between frames.
extension PSNR {
    /// Returns the PSNR of the worst plane over all frames, in dB; infinite for identical frames.
    ///
    /// - Throws: if the number, size or bit depth of the frames differs.
    static func psnr(_ frames: [Frame], from expected: [Frame]) throws -> Double {
        guard frames.count == expected.count else {
            throw SelfTestFailure("\(frames.count) frames instead of \(expected.count)")
        }
        guard let first = expected.first else { throw SelfTestFailure("there are no frames to compare") }
        var errors = PlaneErrors(bitDepth: first.pixelFormat.bitDepth)
        for (frame, original) in zip(frames, expected) {
            let frame = try planar(frame, like: original)
            for plane in 0..<(original.pixelFormat.chroma == .monochrome ? 1 : 3) {
                errors.add(frame.planeBytes(plane), original.planeBytes(plane), to: plane)
            }
        }
        return errors.psnr
    }

    /// Converts the samples to the layout of the original.
    private static func planar(_ frame: Frame, like original: Frame) throws -> Frame {
        guard frame.size == original.size, frame.pixelFormat.hasSamples(like: original.pixelFormat) else {
            throw SelfTestFailure(
                "the pictures are \(frame.size) \(frame.pixelFormat) instead of \(original.size) \(original.pixelFormat)"
            )
        }
        guard frame.pixelFormat != original.pixelFormat else { return frame }
        let range = frame.color.isFullRange == true ? "pc" : "tv"
        let graph = try FilterGraph(
            videoLike: frame, frameRate: Rational(0, 1),
            chain: "scale=in_range=\(range):out_range=\(range),format=\(original.pixelFormat.name)")
        try graph.send(frame)
        guard case .unit(let arranged) = try graph.receive() else { throw SelfTestFailure("a frame was lost") }
        return arranged
    }
}

/// The sum of squared errors of each plane.
private struct PlaneErrors {
    let bitDepth: Int
    private var sums = [Double](repeating: 0, count: 3)
    private var counts = [Double](repeating: 0, count: 3)

    init(bitDepth: Int) { self.bitDepth = bitDepth }

    /// Adds rows of the same length. Samples of more than 8 bits have two bytes, little-endian.
    mutating func add(_ bytes: [UInt8], _ expected: [UInt8], to plane: Int) {
        let width = bitDepth > 8 ? 2 : 1
        let end = min(bytes.count, expected.count) - width
        // Without a sequence's iterator: the tests' build does not optimize this module.
        var (sum, start) = (0, 0)
        while start <= end {
            let difference = Self.sample(bytes, start, width) - Self.sample(expected, start, width)
            sum += difference * difference
            start += width
        }
        sums[plane] += Double(sum)
        counts[plane] += Double(expected.count / width)
    }

    private static func sample(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int {
        width == 1 ? Int(bytes[start]) : Int(bytes[start]) | Int(bytes[start + 1]) << 8
    }

    var psnr: Double {
        let peak = Double((1 << bitDepth) - 1)
        return zip(sums, counts).map { PSNR.decibels(squaredError: $0, count: $1, peak: peak) }.min() ?? .infinity
    }
}

extension TestTranscodeClip {
    package func make() throws(TranscodeError) {
        do { try write() } catch {
            throw TranscodeError(.trialClip, "a clip for the trial cannot be made: \(error)")
        }
    }

    /// Returns the PSNR of the output against the input, in dB; nil if there is no difference.
    package func compare() throws(TranscodeError) -> Double? {
        do {
            let psnr = try PSNR.psnr(try Self.decode(output), from: try Self.decode(input))
            guard psnr >= SelfTest.floor else { throw SelfTestFailure("PSNR \((psnr * 10).rounded() / 10) dB") }
            return psnr.isFinite ? (psnr * 10).rounded() / 10 : nil
        } catch {
            let evidence = (error as? SelfTestFailure)?.evidence ?? "\(error)"
            throw TranscodeError(
                .trialPictures, "the output's pictures differ from the input's: \(evidence)")
        }
    }

    /// Writes the clip. It is compared as decoded, so its encoding may be lossy.
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

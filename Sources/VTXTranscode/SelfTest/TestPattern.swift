import VTXFFmpeg
import VTXMedia

/// The moving picture that devices are tried with (libavfilter's `testsrc2`). It can be made any number of times.
struct TestPattern {
    static let rate = Rational(25, 1)

    var size: PixelSize
    var pixelFormat: PixelFormat
    /// Without edges, so that two ways to scale it come to about the same.
    var isSmooth = false
    /// In the colors of HDR10.
    var isHDR = false
    var frameCount = 12

    static let hdr10 = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)

    func frames() throws(FFmpegError) -> [Frame] {
        let blur = isSmooth ? ",gblur=sigma=6" : ""
        let graph = try FilterGraph(
            generating: "testsrc2=size=\(size):rate=\(Self.rate)\(blur),format=\(pixelFormat.name)")
        var frames: [Frame] = []
        while frames.count < frameCount, case .unit(let frame) = try graph.receive() {
            frame.rescale(to: Self.rate.reciprocal)
            frame.color.isFullRange = false
            if isHDR { frame.color = Self.hdr10 }
            frames.append(frame)
        }
        return frames
    }
}

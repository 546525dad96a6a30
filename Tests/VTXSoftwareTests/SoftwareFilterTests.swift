import Testing
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware

@Suite("libavfilter's filters keep the contract")
struct SoftwareFilterTests {
    private let conformance = Conformance(SoftwareBackend(), device: SoftwareBackend.device)

    @Test("a frame that needs nothing is not copied")
    func passThrough() throws { try conformance.passesUntouched() }

    @Test("turns and mirrors", arguments: DisplayMatrix.Orientation.allCases)
    func turns(orientation: DisplayMatrix.Orientation) throws { try conformance.turns(orientation) }

    @Test("a part of the picture", arguments: DisplayMatrix.Orientation.allCases, [1, 2])
    func crops(orientation: DisplayMatrix.Orientation, scale: Int) throws {
        try conformance.crops(orientation, scale: scale)
    }

    @Test("letterbox, trim and fill", arguments: ScalingMode.allCases, [false, true])
    func scaling(mode: ScalingMode, isFullRange: Bool) throws {
        try conformance.scales(mode, isFullRange: isFullRange)
    }

    @Test("letterbox with more than 8 bits", arguments: [false, true])
    func deepLetterbox(isFullRange: Bool) throws {
        try conformance.scales(.letterbox, isFullRange: isFullRange, bitDepth: 10)
    }

    @Test("samples that are not square, at the same size", arguments: ScalingMode.allCases)
    func squares(mode: ScalingMode) throws { try conformance.squaresSamples(mode) }

    @Test("formats", arguments: ["yuv422p", "yuv444p10le", "nv12", "rgb24"], [8, 10])
    func formats(source: String, bitDepth: Int) throws {
        try conformance.converts(from: source, to: .planar(.yuv420, bitDepth: bitDepth))
    }

    @Test("a GPU's frames in a letterbox at their own size, wherever the bars end", arguments: [66, 80, 96, 128])
    func unscaledLetterbox(width: Int) throws {
        let configuration = FilterConfiguration(
            size: PixelSize(width, 64), pixelFormat: .i420, color: .unspecified, scaling: .letterbox, isSquare: false,
            deinterlacing: .never, orientation: .upright, frameRate: nil, sourceFrameRate: 25,
            timeBase: Rational(1, 25))
        let filter = try SoftwareBackend().openSession(on: SoftwareBackend.device).makeFilter(configuration)
        let frame = try Frame(size: PixelSize(64, 64), pixelFormat: .nv12)
        frame.setTimes(pts: 0, duration: 1, timeBase: Rational(1, 25))
        #expect(try filter.apply(to: frame).size == PixelSize(width, 64))
    }

    @Test("full range")
    func fullRange() throws { try conformance.keepsFullRange() }

    @Test("HDR becomes SDR", arguments: [8, 10])
    func toneMapping(bitDepth: Int) throws { try conformance.mapsTones(to: bitDepth) }

    @Test("SDR stays as it is where HDR becomes SDR")
    func noToneMapping() throws { try conformance.leavesSDRAlone() }

    @Test("interlaced frames, and only when they are to be")
    func deinterlacing() throws { try conformance.deinterlaces() }

    @Test("a source that changes in the middle")
    func changes() throws { try conformance.followsTheSource() }

    @Test("another rate", arguments: [(50, 50), (25, 25), (5, 5)])
    func rate(rate: Int, count: Int) throws { try conformance.changesRate(to: rate, count: count) }

    @Test("another unit of time")
    func timeBase() throws { try conformance.countsInItsOwnUnit() }
}

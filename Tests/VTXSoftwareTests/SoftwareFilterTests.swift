import Testing
import VTXConformance
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXTestMedia

@Suite("libavfilter's filters conform to the contract")
struct SoftwareFilterTests {
    private let conformance = Conformance(SoftwareBackend(), device: SoftwareBackend.device)

    @Test("a frame that needs no filter is not copied")
    func passThrough() throws { try conformance.passesUntouched() }

    @Test("rotations and mirrors", arguments: DisplayMatrix.Orientation.allCases)
    func turns(orientation: DisplayMatrix.Orientation) throws { try conformance.turns(orientation) }

    @Test("a region of the frame", arguments: DisplayMatrix.Orientation.allCases, [1, 2])
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

    @Test("a GPU's frames in a letterbox at their own size, with any bars", arguments: [66, 80, 96, 128])
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

    private let strengths: [FilterStrength?] = [nil, .light, .medium, .strong]

    /// The deviation of the last frame's luma from its mean.
    private func noise(_ denoising: FilterStrength?, in frames: [Frame]) throws -> Double {
        let configuration = Conformance.filter { $0.denoising = denoising }
        let output = try conformance.run(configuration, try frames.map { try $0.reference() })
        #expect(output.count == frames.count)
        let luma = try #require(output.last).planeBytes(0).map(Double.init)
        let mean = luma.reduce(0, +) / Double(luma.count)
        return luma.reduce(0) { $0 + abs($1 - mean) } / Double(luma.count)
    }

    @Test("stronger denoising removes more noise", arguments: ["yuv420p", "nv12"])
    func denoising(format: String) throws {
        let frames = try VideoRecipe {
            ($0.picture, $0.filters, $0.pixelFormat) = ("color=c=gray", "noise=alls=12:allf=t", format)
            $0.timeBase = Rational(1, 1000)
            $0.frameCount = 8
        }.makeFrames()
        let noises = try strengths.map { try noise($0, in: frames) }
        #expect(zip(noises, noises.dropFirst()).allSatisfy { $0 > $1 })
    }

    @Test("sharpening sharpens edges, but not a letterbox's bars and their edges")
    func sharpening() throws {
        let frames = try VideoRecipe {
            ($0.picture, $0.filters) = ("color=c=gray", "drawbox=80:0:80:96:white:fill,gblur=sigma=2")
            $0.frameCount = 1
        }.makeFrames()
        let steepness = { (sharpening: FilterStrength?) throws -> Int in
            let configuration = Conformance.filter {
                ($0.size, $0.isSquare, $0.sharpening) = (PixelSize(160, 160), true, sharpening)
            }
            let frame = try #require(try conformance.run(configuration, [try frames[0].reference()]).first)
            #expect(frame.luma(20, 30) == 16 && abs(frame.luma(20, 33) - 126) <= 2)
            let row = (60..<100).map { frame.luma($0, 80) }
            return zip(row, row.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        }
        let steps = try strengths.map(steepness)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("full range")
    func fullRange() throws { try conformance.keepsFullRange() }

    @Test("HDR becomes SDR", arguments: [8, 10])
    func toneMapping(bitDepth: Int) throws { try conformance.mapsTones(to: bitDepth) }

    @Test("tone mapping leaves SDR unchanged")
    func noToneMapping() throws { try conformance.leavesSDRAlone() }

    @Test("interlaced frames, only if requested")
    func deinterlacing() throws { try conformance.deinterlaces() }

    @Test("each field as a frame")
    func fields() throws { try conformance.separatesFields() }

    @Test("a source that changes in mid-stream")
    func changes() throws { try conformance.followsTheSource() }

    @Test("another frame rate", arguments: [(50, 50), (25, 25), (5, 5)])
    func rate(rate: Int, count: Int) throws { try conformance.changesRate(to: rate, count: count) }

    @Test("another time base")
    func timeBase() throws { try conformance.countsInItsOwnUnit() }
}

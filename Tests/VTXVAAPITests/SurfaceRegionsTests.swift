import Testing
import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

@testable import VTXVAAPI

@Suite("Surface regions")
struct SurfaceRegionsTests {
    private static func placement(
        _ scaling: ScalingMode, orientation: DisplayMatrix.Orientation = .upright, origin: (x: Int, y: Int) = (0, 0),
        crop: PixelRegion? = nil
    ) throws -> SurfaceRegions {
        let source = try Frame(timeBase: Rational(1, 25))
        var shape = FrameFormat(source)
        shape.size = PixelSize(1920, 1080)
        var configuration = FilterConfiguration(
            size: PixelSize(640, 640), pixelFormat: .planar(.yuv420, bitDepth: 8), color: .unspecified,
            scaling: scaling, isSquare: true, deinterlacing: .never, orientation: orientation, frameRate: nil,
            sourceFrameRate: Rational(25, 1), timeBase: Rational(1, 25))
        configuration.crop = crop.map { PictureCrop($0, of: shape.size) }
        return SurfaceRegions(configuration, shape, origin: origin)
    }

    @Test("a letterbox uses the whole frame and leaves bars")
    func letterbox() throws {
        let placement = try Self.placement(.letterbox)
        #expect(placement.source == PixelRegion(size: PixelSize(1920, 1080)))
        #expect(placement.target == PixelRegion(x: 0, y: 140, size: PixelSize(640, 360)))
    }

    @Test("trimming uses the center and fills the output")
    func trim() throws {
        let placement = try Self.placement(.trim)
        #expect(placement.source == PixelRegion(x: 420, y: 0, size: PixelSize(1080, 1080)))
        #expect(placement.target == PixelRegion(size: PixelSize(640, 640)))
    }

    @Test("a rotated frame uses its rotated size")
    func turned() throws {
        let placement = try Self.placement(.letterbox, orientation: .rotated90)
        #expect(placement.source == PixelRegion(size: PixelSize(1920, 1080)))
        #expect(placement.target == PixelRegion(x: 140, y: 0, size: PixelSize(360, 640)))
    }

    @Test("trimming uses the center of a crop")
    func crop() throws {
        let part = PixelRegion(x: 240, y: 140, size: PixelSize(1440, 800))
        #expect(
            try Self.placement(.fill, origin: (8, 4), crop: part).source == PixelRegion(x: 248, y: 144, size: part.size)
        )
        let trimmed = try Self.placement(.trim, crop: part)
        #expect(trimmed.source == PixelRegion(x: 560, y: 140, size: PixelSize(800, 800)))
    }

    @Test("the decoder's cropping at the left and the top is skipped")
    func origin() throws {
        let placement = try Self.placement(.fill, origin: (8, 4))
        #expect(placement.source == PixelRegion(x: 8, y: 4, size: PixelSize(1920, 1080)))
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession

@Suite("A device's filter capabilities")
struct FilterCapabilityTests {
    private let ten = PixelFormat.planar(.yuv420, bitDepth: 10)
    private let eight = PixelFormat.planar(.yuv420, bitDepth: 8)
    private static let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)

    private func obstacle(
        mapsTones: Bool = true, _ color: ColorDescription = pq, _ format: PixelFormat? = nil,
        enhances: Bool = false, _ change: (inout FilterConfiguration) -> Void = { _ in }
    ) throws -> String? {
        let size = PixelSize(64, 64)
        var shape = FrameFormat(try Frame(timeBase: Rational(1, 25)))
        (shape.size, shape.pixelFormat, shape.color) = (size, format ?? ten, color)
        var configuration = FilterConfiguration(
            size: size, pixelFormat: eight, color: .bt709, scaling: .fill, isSquare: false, deinterlacing: .never,
            orientation: .upright, frameRate: nil, sourceFrameRate: Rational(25, 1), timeBase: Rational(1, 25))
        configuration.toneMapping = ToneMapping(source: color, metadata: HDRMetadata())
        change(&configuration)
        #expect(!configuration.isIdentity(for: shape))
        let processing = FilterCapability.VideoProcessing(
            pixelFormats: [eight, ten], deinterlaces: true, mapsTones: mapsTones, denoises: enhances,
            sharpens: enhances, orientations: [.upright], maxSize: PixelSize(4096, 4096))
        return FilterCapability.some(processing).obstacle(to: configuration, from: shape)
    }

    @Test("denoising and sharpening need a video processor that supports them")
    func strengths() throws {
        let found = try obstacle(ColorDescription.bt709, eight) { $0.denoising = .light }
        #expect(found?.contains("noise") == true)
        let other = try obstacle(ColorDescription.bt709, eight) { $0.sharpening = .light }
        #expect(other?.contains("sharpen") == true)
        let enhances = { (configuration: inout FilterConfiguration) in
            (configuration.denoising, configuration.sharpening) = (.light, .strong)
        }
        #expect(try obstacle(ColorDescription.bt709, eight, enhances: true, enhances) == nil)
    }

    @Test("software does inverse telecine, and fields at another rate")
    func fields() throws {
        func found(_ deinterlacing: FilterConfiguration.Deinterlacing, _ rate: Rational? = nil) throws -> String? {
            try obstacle(ColorDescription.bt709, eight) { ($0.deinterlacing, $0.frameRate) = (deinterlacing, rate) }
        }
        #expect(try found(.telecine)?.contains("software") == true)
        #expect(try found(.everyField) == nil && found(.everyField, Rational(25, 1))?.contains("software") == true)
    }

    @Test("GPUs tone map only ten-bit PQ in BT.2020, if they can")
    func toneMapping() throws {
        #expect(try obstacle() == nil)
        #expect(try obstacle(mapsTones: false)?.contains("does not convert HDR to SDR") == true)
        #expect(try obstacle(ColorDescription(primaries: 9, transfer: 18, matrix: 9))?.contains("HLG") == true)
        #expect(try obstacle(ColorDescription(primaries: 12, transfer: 16, matrix: 9))?.contains("BT.2020") == true)
        #expect(try obstacle(Self.pq, eight)?.contains("10-bit") == true)
    }
}

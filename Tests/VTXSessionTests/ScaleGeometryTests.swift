import Testing
import VTXMedia
import VTXSession

@Suite("Scaling geometry")
struct ScaleGeometryTests {
    private static let sizes = [
        PixelSize(160, 96), PixelSize(1920, 1080), PixelSize(1080, 1920), PixelSize(720, 576),
        PixelSize(641, 359),
        PixelSize(2, 2), PixelSize(4096, 16), PixelSize(16, 4096), PixelSize(1280, 1280), PixelSize(1, 1),
        PixelSize(33, 1), PixelSize(1, 400), PixelSize(3, 2),
    ]
    private static let frames = [
        PixelSize(160, 96), PixelSize(96, 160), PixelSize(1280, 720), PixelSize(64, 64), PixelSize(2, 2),
        PixelSize(3840, 2160),
    ]
    private static let aspects = [
        Rational(0, 1), Rational(1, 1), Rational(64, 45), Rational(8, 9), Rational(1, 2),
    ]

    private func geometries(_ source: PixelSize, _ frame: PixelSize) -> [(
        ScaleGeometry, Rational, ScalingMode, Bool
    )] {
        Self.aspects.flatMap { aspect in
            ScalingMode.allCases.flatMap { mode in
                [true, false].map { isSquare in
                    (
                        ScaleGeometry(
                            source: source, sampleAspectRatio: aspect, frame: frame, scaling: mode,
                            frameIsSquare: isSquare), aspect, mode, isSquare
                    )
                }
            }
        }
    }

    @Test("stays within the source and the frame", arguments: sizes, frames)
    func staysInside(source: PixelSize, frame: PixelSize) {
        for (geometry, aspect, mode, _) in geometries(source, frame) {
            #expect(
                geometry.crop.width <= source.width && geometry.crop.height <= source.height,
                "\(aspect) \(mode)")
            #expect(
                geometry.scaled.width <= frame.width && geometry.scaled.height <= frame.height,
                "\(aspect) \(mode)")
            #expect(geometry.crop.width > 0 && geometry.crop.height > 0)
            #expect(geometry.scaled == geometry.scaled.roundedDownToEven)
            let (x, y) = geometry.padding
            #expect(x >= 0 && y >= 0 && x % 2 == 0 && y % 2 == 0)
            #expect(x + geometry.scaled.width <= frame.width && y + geometry.scaled.height <= frame.height)
        }
    }

    @Test("each mode has only its own operation", arguments: sizes, frames)
    func modes(source: PixelSize, frame: PixelSize) {
        for (geometry, _, mode, _) in geometries(source, frame) {
            switch mode {
            case .letterbox: #expect(!geometry.needsCropping)
            case .trim: #expect(!geometry.needsPadding)
            case .fill: #expect(!geometry.needsCropping && !geometry.needsPadding)
            }
        }
    }

    @Test("letterbox and trim keep the aspect ratio, within rounding", arguments: sizes, frames)
    func keepsShape(source: PixelSize, frame: PixelSize) {
        for (geometry, aspect, mode, isSquare) in geometries(source, frame) where mode != .fill {
            let sample = isSquare && aspect.isPositive ? aspect.value : 1
            let sides = [geometry.crop, geometry.scaled, frame].flatMap { [$0.width, $0.height] }
            // Sides are even; for a tiny side, rounding dominates the aspect ratio.
            guard let smallest = sides.min(), smallest >= 16 else { continue }
            let before = Double(geometry.crop.width) * sample / Double(geometry.crop.height)
            let after = Double(geometry.scaled.width) / Double(geometry.scaled.height)
            let tolerance = 4.1 / Double(smallest)
            #expect(
                abs(before / after - 1) <= tolerance, "\(source) \(aspect) in \(frame) \(mode): \(geometry)")
        }
    }

    @Test("letterbox touches two sides, trim keeps a whole row or column", arguments: sizes, frames)
    func asLargeAsPossible(source: PixelSize, frame: PixelSize) {
        for (geometry, _, mode, _) in geometries(source, frame) {
            switch mode {
            case .letterbox:
                #expect(geometry.scaled.width == frame.width || geometry.scaled.height == frame.height)
            case .trim: #expect(geometry.crop.width == source.width || geometry.crop.height == source.height)
            case .fill: break
            }
        }
    }

    @Test(
        "PAL widescreen becomes 16:9 with square samples",
        arguments: [(ScalingMode.letterbox, PixelSize(1280, 720)), (.trim, PixelSize(1280, 720))])
    func anamorphic(mode: ScalingMode, frame: PixelSize) {
        let geometry = ScaleGeometry(
            source: PixelSize(720, 576), sampleAspectRatio: Rational(64, 45), frame: frame, scaling: mode,
            frameIsSquare: true)
        #expect(!geometry.needsPadding && !geometry.needsCropping && geometry.scaled == frame)
    }

    @Test("4:3 in 16:9 has bars of an eighth on each side")
    func pillarbox() {
        let geometry = ScaleGeometry(
            source: PixelSize(640, 480), sampleAspectRatio: Rational(0, 1), frame: PixelSize(1280, 720),
            scaling: .letterbox, frameIsSquare: true)
        #expect(geometry.scaled == PixelSize(960, 720))
        #expect(geometry.padding == (160, 0))
    }

    @Test("the same size needs no scaling", arguments: frames, ScalingMode.allCases)
    func nothingToDo(size: PixelSize, mode: ScalingMode) {
        let geometry = ScaleGeometry(
            source: size, sampleAspectRatio: Rational(64, 45), frame: size, scaling: mode,
            frameIsSquare: false)
        #expect(!geometry.needsScaling && !geometry.needsCropping && !geometry.needsPadding)
    }
}

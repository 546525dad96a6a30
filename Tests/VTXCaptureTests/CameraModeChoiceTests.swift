import Testing
import VTXMedia
import VTXTask

@testable import VTXCapture

@Suite("The mode of a camera")
struct CameraModeChoiceTests {
    /// The modes of a typical USB camera.
    private static let webcam = [
        format("YUYV", [(640, 480, [30, 15]), (1280, 720, [10, 5]), (1920, 1080, [5])]),
        format("MJPG", [(640, 480, [30]), (1280, 720, [60, 30]), (1920, 1080, [30])]),
        format("H264", [(3840, 2160, [30])]),
    ]

    private static func format(_ fourCC: String, _ modes: [(Int, Int, [Rational])]) -> CameraFormat {
        CameraFormat(
            fourCC: fourCC, isSupported: true,
            modes: modes.map { CameraMode(size: PixelSize($0.0, $0.1), frameRates: $0.2) })
    }

    struct Case: Sendable {
        var size: PixelSize
        var rate: Rational
        var choice: CameraModeChoice
    }

    private static let cases = [
        Case(size: PixelSize(640, 480), rate: 30, choice: choice(.yuyv, 640, 480, 30)),
        Case(size: PixelSize(640, 480), rate: 25, choice: choice(.yuyv, 640, 480, 30)),
        Case(size: PixelSize(640, 480), rate: Rational(30_000, 1001), choice: choice(.yuyv, 640, 480, 30)),
        Case(size: PixelSize(1280, 720), rate: 30, choice: choice(.mjpg, 1280, 720, 30)),
        Case(size: PixelSize(1280, 720), rate: 50, choice: choice(.mjpg, 1280, 720, 60)),
        Case(size: PixelSize(1280, 720), rate: 5, choice: choice(.yuyv, 1280, 720, 5)),
        Case(size: PixelSize(1920, 1080), rate: 60, choice: choice(.mjpg, 1920, 1080, 30)),
        Case(size: PixelSize(1900, 1000), rate: 30, choice: choice(.mjpg, 1920, 1080, 30)),
        Case(size: PixelSize(3840, 2160), rate: 30, choice: choice(.h264, 3840, 2160, 30)),
    ]

    private static func choice(
        _ format: CameraPixelFormat, _ width: Int, _ height: Int, _ rate: Rational
    ) -> CameraModeChoice {
        CameraModeChoice(format: format, size: PixelSize(width, height), frameRate: rate)
    }

    @Test("the nearest size has priority, then the rate, then an uncompressed format", arguments: cases)
    func nearest(_ test: Case) {
        #expect(CameraModeChoice.nearest(to: test.size, test.rate, of: Self.webcam) == test.choice)
    }

    @Test("of equal formats, one that encoders accept without conversion")
    func formats() {
        let formats = ["H264", "MJPG", "UYVY", "YUYV", "NV12", "YU12"].map { Self.format($0, [(640, 480, [30])]) }
        #expect(CameraModeChoice.nearest(to: PixelSize(640, 480), 30, of: formats)?.format == .nv12)
        #expect(CameraModeChoice.nearest(to: PixelSize(640, 480), 30, of: Array(formats[..<2]))?.format == .mjpg)
    }

    @Test("a camera with a size range has the requested size")
    func ranges() {
        let mode = CameraMode(size: PixelSize(32, 32), maxSize: PixelSize(1600, 1200), frameRates: [60, 1])
        let formats = [CameraFormat(fourCC: "YU12", isSupported: true, modes: [mode])]
        #expect(
            CameraModeChoice.nearest(to: PixelSize(1000, 700), 24, of: formats) == Self.choice(.yu12, 1000, 700, 24))
        #expect(
            CameraModeChoice.nearest(to: PixelSize(4000, 10), 100, of: formats) == Self.choice(.yu12, 1600, 32, 60))
    }

    @Test("a driver that lists no sizes gets the requested one; a camera with unknown formats records nothing")
    func others() {
        let silent = [CameraFormat(fourCC: "YUYV", isSupported: true, modes: [])]
        #expect(CameraModeChoice.nearest(to: PixelSize(320, 240), 30, of: silent) == Self.choice(.yuyv, 320, 240, 30))
        let unknown = [Self.format("NV21", [(320, 240, [30])])]
        #expect(CameraModeChoice.nearest(to: PixelSize(320, 240), 30, of: unknown) == nil)
    }
}

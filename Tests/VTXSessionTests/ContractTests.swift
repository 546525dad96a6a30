import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession

@Suite("The contract's values")
struct ContractTests {
    private let matrix = CapabilityMatrix(
        device: DeviceID("a"), deviceName: "A", isHardware: true,
        encoders: [
            EncoderCapability(
                codec: .hevc, profile: .main10, minSize: PixelSize(32, 16), maxSize: PixelSize(64, 48),
                keepsCaptions: false)
        ])

    @Test("an unlisted capability is unsupported")
    func rows() {
        #expect(matrix.encoder(.hevc, .main10) != nil)
        #expect(matrix.encoder(.hevc, .hevcMain) == nil)
        #expect(matrix.encodes(.hevc) && !matrix.encodes(.h264))
    }

    @Test(
        "a size must lie between the smallest and the largest on both sides",
        arguments: [
            (PixelSize(32, 16), true), (PixelSize(64, 48), true), (PixelSize(31, 16), false),
            (PixelSize(32, 15), false),
            (PixelSize(65, 48), false), (PixelSize(64, 49), false),
        ])
    func sizes(size: PixelSize, isHeld: Bool) throws {
        let row = try #require(matrix.encoder(.hevc, .main10))
        #expect(row.holds(size) == isHeld)
    }

    @Test(
        "a failed call keeps its kind as a session error",
        arguments: [
            (Int32(-12), SessionError.Code.allocationFailed), (-38, .unsupportedFormat), (-5, .badParameter),
        ])
    func errors(status: Int32, code: SessionError.Code) {
        let error = SessionError(FFmpegError("call", status), while: "testing", else: .badParameter)
        #expect(error.code == code)
        #expect(error.message.hasPrefix("testing: ") && error.message.contains("call"))
    }

    @Test("a frame format covers the next frame if only interlacing ends")
    func shapes() throws {
        let frame = try Frame(timeBase: Rational(1, 25))
        var interlaced = FrameFormat(frame)
        interlaced.isInterlaced = true
        var progressive = interlaced
        progressive.isInterlaced = false
        var larger = interlaced
        larger.size = PixelSize(2, 2)
        #expect(interlaced.accepts(interlaced) && interlaced.accepts(progressive))
        #expect(!progressive.accepts(interlaced) && !interlaced.accepts(larger))
    }
}

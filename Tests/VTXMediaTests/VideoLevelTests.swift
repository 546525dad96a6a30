import Testing
import VTXMedia

@Suite("Level limits")
struct VideoLevelTests {
    /// The lowest level for a size and a frame rate.
    private func lowest(_ profile: VideoProfile, _ size: PixelSize, _ frameRate: Rational) -> String? {
        LevelLimits.all(of: profile).first { $0.holds(size, at: frameRate) }?.level.description
    }

    @Test("H.264's levels from Table A-6")
    func h264() {
        #expect(lowest(.high, PixelSize(176, 144), 15) == "1")
        #expect(lowest(.high, PixelSize(1280, 720), 30) == "3.1")
        #expect(lowest(.high, PixelSize(1920, 1080), 30) == "4")
        #expect(lowest(.high, PixelSize(1920, 1080), 60) == "4.2")
        #expect(lowest(.high, PixelSize(3840, 2160), 30) == "5.1")
        #expect(lowest(.high, PixelSize(7680, 4320), 120) == "6.2")
        #expect(lowest(.high, PixelSize(16384, 16384), 1) == nil)
    }

    @Test("HEVC's levels from Table A.11")
    func hevc() {
        #expect(lowest(.hevcMain, PixelSize(1280, 720), 30) == "3.1")
        #expect(lowest(.hevcMain, PixelSize(1920, 1080), 30) == "4")
        #expect(lowest(.hevcMain, PixelSize(1920, 1080), 60) == "4.1")
        #expect(lowest(.hevcMain, PixelSize(3840, 2160), 60) == "5.1")
        #expect(lowest(.hevcMain, PixelSize(8192, 4320), 120) == "6.2")
    }

    @Test("no side exceeds the square root of eight times the maximum size")
    func sides() throws {
        let limits = try #require(LevelLimits(3.1, of: .h264Main))
        #expect(limits.holds(PixelSize(2704, 16)) && !limits.holds(PixelSize(2720, 16)))
    }

    @Test("the peak rate is the profile's, and the lower of two limits applies")
    func peak() throws {
        var configuration = EncoderConfiguration(
            codec: .h264, profile: .h264Main, size: PixelSize(64, 64), pixelFormat: .nv12, timeBase: Rational(1, 25),
            frameRate: 25, rateControl: .quality(.standard), maxKeyFrameInterval: 25)
        #expect(configuration.vbv == nil)
        configuration.level = 3.1
        #expect(configuration.vbv == VBV(bitrate: 14_000_000, bufferSize: 14_000_000))
        configuration.profile = .high
        #expect(configuration.vbv == VBV(bitrate: 17_500_000, bufferSize: 17_500_000))
        configuration.dataRateLimits = [DataRateLimit(byteCount: 1_000_000, seconds: 1)]
        #expect(configuration.vbv == VBV(bitrate: 5_600_000, bufferSize: 2_400_000))
    }

    @Test("a level is written like in the specifications")
    func text() {
        #expect("\(3.1 as VideoLevel) \(4 as VideoLevel) \(ProfileLevel(.baseline, 3.1))" == "3.1 4 baseline 3.1")
        #expect(VideoLevel(floatLiteral: 5.2).number == 52 && (4 as VideoLevel) < 4.1)
    }
}

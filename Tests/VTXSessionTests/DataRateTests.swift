import Testing
import VTXMedia
import VTXSession

@Suite("Data-rate limits")
struct DataRateTests {
    @Test("frames of equal size stay within the limit of a window")
    func window() {
        var window = DataRateWindow([DataRateLimit(byteCount: 1000, seconds: 1)])
        var times: [Double] = []
        for index in 0..<40 {
            let time = Double(index) / 10
            guard window.hasRoom(at: time) else { continue }
            window.note(byteCount: 300, at: time, isKeyFrame: index == 0)
            times.append(time)
        }
        for start in times {
            #expect(times.filter { $0 >= start && $0 < start + 1 }.count <= 3)
        }
        #expect(times.count >= 11)
    }

    @Test("every limit applies")
    func several() {
        var window = DataRateWindow([
            DataRateLimit(byteCount: 1000, seconds: 1), DataRateLimit(byteCount: 1200, seconds: 4),
        ])
        window.note(byteCount: 500, at: 0, isKeyFrame: false)
        window.note(byteCount: 500, at: 1, isKeyFrame: false)
        #expect(!window.hasRoom(at: 2) && !window.hasRoom(at: 3.9) && window.hasRoom(at: 4.5))
    }

    @Test("pending frames in the window count: a few at the largest size, many at the average")
    func waiting() {
        var window = DataRateWindow([DataRateLimit(byteCount: 1000, seconds: 1)])
        for (index, size) in [100, 300, 100, 300].enumerated() {
            window.note(byteCount: size, at: Double(index), isKeyFrame: false)
        }
        #expect(window.hasRoom(at: 10, waiting: [9.8, 9.9]))
        #expect(!window.hasRoom(at: 10, waiting: [9.7, 9.8, 9.9]))
        #expect(window.hasRoom(at: 10, waiting: [7.5, 8, 8.5, 9, 9.8, 9.9]))
        var wide = DataRateWindow([DataRateLimit(byteCount: 2600, seconds: 1)])
        for size in [100, 300, 100, 300] { wide.note(byteCount: size, at: 0, isKeyFrame: false) }
        let many = (0..<10).map { 9.1 + Double($0) / 20 }
        #expect(wide.hasRoom(at: 10, waiting: Array(many.prefix(9))) && !wide.hasRoom(at: 10, waiting: many))
    }

    @Test("without limits there is always room")
    func none() {
        var window = DataRateWindow([])
        window.note(byteCount: .max / 2, at: 0, isKeyFrame: false)
        #expect(window.hasRoom(at: 0))
    }

    private static func configuration(_ rate: RateControl, _ limits: [DataRateLimit]) -> EncoderConfiguration {
        var configuration = EncoderConfiguration(
            codec: .h264, profile: .high, size: PixelSize(64, 64), pixelFormat: .nv12, timeBase: Rational(1, 30),
            frameRate: 30, rateControl: rate, maxKeyFrameInterval: 150)
        configuration.dataRateLimits = limits
        return configuration
    }

    @Test(
        "the encoder's VBV keeps every window within its limit, and allows the average",
        arguments: [(1_000_000, 187_500, 1.0), (5_120_000, 960_000, 1.0), (800_000, 300_000, 2.0)])
    func bucket(average: Int, bytes: Int, seconds: Double) throws {
        let configuration = Self.configuration(
            .bitrate(average: average, max: nil), [DataRateLimit(byteCount: bytes, seconds: seconds)])
        let vbv = try #require(configuration.vbv)
        #expect(Double(vbv.bitrate) * seconds + Double(vbv.bufferSize) <= Double(bytes * 8))
        #expect(vbv.bitrate >= average && configuration.averageBitrate == average)
    }

    @Test("an average above the limit is lowered to it")
    func tooMuch() throws {
        let configuration = Self.configuration(
            .bitrate(average: 8_000_000, max: nil), [DataRateLimit(byteCount: 100_000, seconds: 1)])
        let average = try #require(configuration.averageBitrate)
        let vbv = try #require(configuration.vbv)
        #expect(average < 800_000 && average <= vbv.bitrate)
    }

    @Test(
        "the maximum bit rate is a limit like any other, for an average and for a quality",
        arguments: [RateControl.bitrate(average: 600_000, max: 800_000), .quality(.standard, max: 800_000)])
    func maximum(rate: RateControl) throws {
        let limit = DataRateLimit(byteCount: 100_000, seconds: 1)
        var without = rate
        if case .quality(let quality, _) = rate { without = .quality(quality) }
        if case .bitrate(let average, _) = rate { without = .bitrate(average: average, max: nil) }
        let vbv = try #require(Self.configuration(rate, []).vbv)
        #expect(vbv == Self.configuration(without, [limit]).vbv)
        #expect(vbv.bitrate + vbv.bufferSize <= 800_000)
        #expect(Self.configuration(without, []).vbv == nil)
    }
}

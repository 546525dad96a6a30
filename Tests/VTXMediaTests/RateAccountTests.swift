import Testing
import VTXMedia

@Suite("The rate account of a stream")
struct RateAccountTests {
    /// 10 s at 8000 bits per second, with packets of `byteCount` bytes per second up to `time`.
    private func average(_ byteCount: Int, until time: Int) throws -> Int? {
        var account = try #require(RateAccount(average: 8000, seconds: 10))
        for second in 0...time { account.take(byteCount: second == 0 ? 0 : byteCount, at: 3 + Double(second)) }
        return account.averageBitrate
    }

    @Test("the rest compensates for too many or too few bits")
    func rest() throws {
        #expect(try average(1000, until: 5) == 8000)
        #expect(try average(1100, until: 5) == 7200)
        #expect(try average(900, until: 5) == 8800)
        #expect(try average(1010, until: 9) == 7280)
    }

    @Test("compensation is at most a quarter, and stops near the end")
    func bounds() throws {
        #expect(try average(2000, until: 5) == 6000)
        #expect(try average(100, until: 5) == 10000)
        #expect(try average(900, until: 10) == 8000)
    }

    @Test("there is none without a target, or for an average of unknown length")
    func none() throws {
        #expect(RateAccount() == nil && RateAccount(average: 8000) == nil)
        let limit = VBV(bitrate: 100, bufferSize: 1000)
        let account = try #require(RateAccount(limit: limit, average: 8000))
        #expect(account.averageBitrate == nil && account.bufferFullness == LeakyBucket.initialFullness)
    }

    @Test("a replacement encoder gets the remaining average, and a first pass has none")
    func configuration() throws {
        var configuration = EncoderConfiguration(
            codec: .h264, profile: .high, size: PixelSize(64, 64), pixelFormat: .nv12,
            timeBase: Rational(1, 25), frameRate: Rational(25, 1),
            rateControl: .bitrate(average: 8000, max: 80_000), maxKeyFrameInterval: 50)
        var account = try #require(configuration.rateAccount(seconds: 10))
        for second in 0...5 { account.take(byteCount: second == 0 ? 0 : 900, at: Double(second)) }
        let rest = configuration.resumed(after: account)
        #expect(rest.rateControl == .bitrate(average: 8800, max: 80_000))
        #expect(rest.initialBufferFullness == account.bufferFullness)
        configuration.pass = EncodingPass(.second, statistics: "passes")
        #expect(configuration.rateAccount(seconds: 10)?.averageBitrate == nil)
        #expect(configuration.resumed(after: nil) == configuration)
    }
}

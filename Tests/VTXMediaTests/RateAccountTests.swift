import Testing
import VTXMedia

@Suite("What a stream has taken of its rate")
struct RateAccountTests {
    /// 10 s of 8000 bits a second, of which packets of `byteCount` bytes a second have come up to `time`.
    private func average(_ byteCount: Int, until time: Int) throws -> Int? {
        var account = try #require(RateAccount(average: 8000, seconds: 10))
        for second in 0...time { account.take(byteCount: second == 0 ? 0 : byteCount, at: 3 + Double(second)) }
        return account.averageBitrate
    }

    @Test("the rest makes up for what was too much or too little")
    func rest() throws {
        #expect(try average(1000, until: 5) == 8000)
        #expect(try average(1100, until: 5) == 7200)
        #expect(try average(900, until: 5) == 8800)
        #expect(try average(1010, until: 9) == 7280)
    }

    @Test("by no more than a quarter, and not at the end")
    func bounds() throws {
        #expect(try average(2000, until: 5) == 6000)
        #expect(try average(100, until: 5) == 10000)
        #expect(try average(900, until: 10) == 8000)
    }

    @Test("there is none where nothing has to be kept, or where the length of an average is not known")
    func none() throws {
        #expect(RateAccount() == nil && RateAccount(average: 8000) == nil)
        let limit = VBV(bitrate: 100, bufferSize: 1000)
        let account = try #require(RateAccount(limit: limit, average: 8000))
        #expect(account.averageBitrate == nil && account.bufferFullness == LeakyBucket.initialFullness)
    }

    @Test("an encoder that goes on has the average that is left, and the first of two passes knows of none")
    func configuration() throws {
        var configuration = EncoderConfiguration(
            codec: .h264, profile: .high, size: PixelSize(64, 64), pixelFormat: .nv12,
            timeBase: Rational(1, 25), frameRate: Rational(25, 1),
            rateControl: .bitrate(average: 8000, max: 80_000), maxKeyFrameInterval: 50)
        var account = try #require(configuration.rateAccount(seconds: 10))
        for second in 0...5 { account.take(byteCount: second == 0 ? 0 : 900, at: Double(second)) }
        let rest = configuration.goingOn(after: account)
        #expect(rest.rateControl == .bitrate(average: 8800, max: 80_000))
        #expect(rest.initialBufferFullness == account.bufferFullness)
        configuration.pass = EncodingPass(.second, statistics: "passes")
        #expect(configuration.rateAccount(seconds: 10)?.averageBitrate == nil)
        #expect(configuration.goingOn(after: nil) == configuration)
    }
}

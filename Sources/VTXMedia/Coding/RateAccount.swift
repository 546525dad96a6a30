/// The bits that a stream has used so far, for an encoder that continues it. Pure.
package struct RateAccount: Sendable, Hashable {
    /// nil if the stream has no limit.
    private var bucket: LeakyBucket?
    /// nil if no average is set, or the duration of the stream is unknown.
    private var budget: BitBudget?

    /// - Parameters:
    ///   - limit: The limit for all packets together.
    ///   - average: The average bit rate of the whole stream, in bits per second.
    ///   - seconds: The duration of the stream.
    /// - Returns: nil if there is neither a limit nor an average.
    package init?(limit: VBV? = nil, average: Int? = nil, seconds: Double? = nil) {
        bucket = limit.map { LeakyBucket($0) }
        if let average, let seconds { budget = BitBudget(average: average, seconds: seconds) }
        if bucket == nil, budget == nil { return nil }
    }

    /// - Parameter time: The decoding time, in seconds.
    package mutating func take(byteCount: Int, at time: Double) {
        bucket?.take(byteCount: byteCount, at: time)
        budget?.take(byteCount: byteCount, at: time)
    }

    /// The remaining fullness of the decoder's buffer, from 0 to 1.
    package var bufferFullness: Double? { bucket?.fullness }
    /// The average bit rate for the rest of the stream, in bits per second.
    package var averageBitrate: Int? { budget?.averageBitrate }
}

/// The bits that a stream's average leaves for the rest of the stream. Pure.
private struct BitBudget: Sendable, Hashable {
    /// The factor by which the rest may differ from the average. A larger deviation would be visible.
    static let correction = 0.75...1.25

    let average: Int
    let seconds: Double
    private var bits = 0
    private var first: Double?
    private var last = 0.0

    init(average: Int, seconds: Double) { (self.average, self.seconds) = (average, seconds) }

    mutating func take(byteCount: Int, at time: Double) {
        bits += 8 * byteCount
        if first == nil { first = time }
        last = time
    }

    var averageBitrate: Int {
        let (rate, left) = (Double(average), seconds - (last - (first ?? last)))
        guard left > 0 else { return average }
        let factor = (rate * seconds - Double(bits)) / (rate * left)
        return Int(rate * min(max(factor, Self.correction.lowerBound), Self.correction.upperBound))
    }
}

extension EncoderConfiguration {
    /// Returns an account for a stream of this configuration. In two-pass encoding the second pass distributes all bits
    /// itself.
    ///
    /// - Parameter seconds: The duration of the stream; nil if unknown.
    package func rateAccount(seconds: Double?) -> RateAccount? {
        RateAccount(limit: vbv, average: pass == nil ? averageBitrate : nil, seconds: seconds)
    }

    /// Returns the configuration of an encoder that continues the stream.
    package func resumed(after account: RateAccount?) -> EncoderConfiguration {
        var configuration = self
        if vbv != nil { configuration.initialBufferFullness = account?.bufferFullness }
        if let average = account?.averageBitrate {
            configuration.rateControl = .bitrate(average: average, max: rateControl.max)
        }
        return configuration
    }
}

/// What the packets of a stream have taken of its rate, for an encoder that goes on after them. Pure.
package struct RateAccount: Sendable, Hashable {
    /// nil where nothing limits the stream.
    private var bucket: LeakyBucket?
    /// nil where no average is asked for, or the stream's length is not known.
    private var budget: BitBudget?

    /// - Parameters:
    ///   - limit: what all packets together keep.
    ///   - average: bits per second of the whole stream.
    ///   - seconds: its length.
    /// - Returns: nil where there is nothing to keep.
    package init?(limit: VBV? = nil, average: Int? = nil, seconds: Double? = nil) {
        bucket = limit.map { LeakyBucket($0) }
        if let average, let seconds { budget = BitBudget(average: average, seconds: seconds) }
        if bucket == nil, budget == nil { return nil }
    }

    /// - Parameter time: seconds at which it is decoded.
    package mutating func take(byteCount: Int, at time: Double) {
        bucket?.take(byteCount: byteCount, at: time)
        budget?.take(byteCount: byteCount, at: time)
    }

    /// What is left in the decoder's buffer, as a part of it.
    package var bufferFullness: Double? { bucket?.fullness }
    /// Bits per second that the rest may take.
    package var averageBitrate: Int? { budget?.averageBitrate }
}

/// The bits that a stream's average leaves for the rest of it. Pure.
private struct BitBudget: Sendable, Hashable {
    /// By how much the rest may differ from the average: more would be seen.
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
    /// Of a stream of this configuration. Of two passes, the second shares all bits out by itself.
    ///
    /// - Parameter seconds: its length; nil where that is not known.
    package func rateAccount(seconds: Double?) -> RateAccount? {
        RateAccount(limit: vbv, average: pass == nil ? averageBitrate : nil, seconds: seconds)
    }

    /// For an encoder that goes on with the stream.
    package func goingOn(after account: RateAccount?) -> EncoderConfiguration {
        var configuration = self
        if vbv != nil { configuration.initialBufferFullness = account?.bufferFullness }
        if let average = account?.averageBitrate {
            configuration.rateControl = .bitrate(average: average, max: rateControl.max)
        }
        return configuration
    }
}

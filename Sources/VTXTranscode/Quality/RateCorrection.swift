/// Corrects the bit rate of a second pass. Encoders are not exact in a short video: they expect to make up for a miss in
/// the rest of it. Pure.
struct RateCorrection: Sendable, Hashable {
    /// The accepted relative miss. The file may differ from what the encoder wrote by 0.5 %, and is to be within 2 %.
    private static let tolerance = 0.012
    /// The relative miss of the first output from which it is the content that takes less, or needs more.
    private static let limit = 0.25
    private static let maxOutputs = 3

    /// The bit rate of the next output.
    private var bitrate: Double
    private let wanted: Double
    /// Whether each second is limited, which may keep the average below the wanted one.
    private let isLimited: Bool
    private var outputs = 0

    /// - Parameter wanted: The average in bits per second.
    init(wanted: Int, isLimited: Bool) {
        (self.wanted, self.isLimited) = (Double(wanted), isLimited)
        bitrate = self.wanted
    }

    /// Takes the average of an output.
    ///
    /// - Returns: the bit rate for another one; nil if this one is accepted.
    mutating func note(_ average: Double) -> Int? {
        outputs += 1
        let miss = average / wanted - 1
        guard abs(miss) > Self.tolerance, outputs < Self.maxOutputs else { return nil }
        // After one output, a large miss means that the content does not follow the rate.
        if outputs == 1, abs(miss) >= Self.limit { return nil }
        if isLimited, miss < 0 { return nil }
        bitrate *= wanted / average
        return Int(bitrate)
    }
}

/// When samples of an audio device were recorded. Its times waver, by when its driver looked; its samples do not. Pure.
///
/// The device's own clock is a little fast or slow: the times follow the machine's, and who encodes the samples stretches them.
struct SampleClock: Sendable {
    /// How much of the difference each block takes away.
    private static let gain = 0.02
    /// Seconds: what is further off is a gap.
    private static let tolerance = 0.05

    let sampleRate: Int
    private var next: Double?

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// - Parameters:
    ///   - measured: seconds at which the first sample came, as far as the driver knows.
    ///   - sampleCount: how many follow each other.
    /// - Returns: the same without what wavers.
    mutating func time(of measured: Double, sampleCount: Int) -> Double {
        let expected = next ?? measured
        let difference = measured - expected
        let time = abs(difference) > Self.tolerance ? measured : expected + difference * Self.gain
        next = time + Double(sampleCount) / Double(sampleRate)
        return time
    }
}

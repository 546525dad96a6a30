/// Determines when samples of an audio device were recorded. Timestamps jitter with the driver's polling; samples do
/// not. Pure.
///
/// The device's clock is slightly fast or slow: timestamps follow the machine's clock, and the encoder stretches the
/// samples.
struct SampleClock: Sendable {
    /// The fraction of the difference that each block corrects.
    private static let gain = 0.02
    /// A larger difference is a gap. In seconds.
    private static let tolerance = 0.05

    let sampleRate: Int
    private var next: Double?

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// - Parameters:
    ///   - measured: The time of the first sample according to the driver, in seconds.
    ///   - sampleCount: The number of consecutive samples.
    /// - Returns: the time without jitter.
    mutating func time(of measured: Double, sampleCount: Int) -> Double {
        let expected = next ?? measured
        let difference = measured - expected
        let time = abs(difference) > Self.tolerance ? measured : expected + difference * Self.gain
        next = time + Double(sampleCount) / Double(sampleRate)
        return time
    }
}

import VTXMedia
import VTXTask

/// Searches for the bit rate that results in a target size. It decides, and encodes nothing.
///
/// The first rate follows from a counting run; each output that misses the size corrects it. Encoders are not exact:
/// rates have steps, and multithreaded encoders vary slightly between runs. An output that is small enough is therefore
/// refined only a few times, and one that is too large is reduced until it fits.
struct SizeSearch: Sendable, Hashable {
    /// The decision about an output.
    enum Verdict: Sendable, Hashable {
        case accepted
        case tries(bitrate: Int)
        case tooLarge
    }

    /// The fraction by which an output may be smaller than possible.
    private static let slack = 0.01
    /// The output from which the next one that fits is accepted.
    private static let maxRefinements = 4
    /// The output from which a rate that has fitted is used again.
    private static let maxCorrections = 7
    private static let maxOutputs = 12

    /// The size of the whole output, in bytes.
    let size: Int
    /// The size of everything other than the video, including the container's overhead, in bytes.
    let others: Int
    let seconds: Double
    /// The bit rate of the next output.
    private(set) var bitrate: Int
    /// The outputs so far, in order.
    private var outputs: [Output] = []

    private struct Output: Sendable, Hashable {
        var bitrate: Int
        /// The size of the video.
        var bytes: Double
    }

    /// The size that the video may have.
    private var room: Double { Double(size - others) }
    /// The fraction of the size to aim at: there is tolerance below the size, but none above it. It decreases for an
    /// encoder that has missed often.
    private var aim: Double { 0.997 - 0.01 * Double(max(0, outputs.count - 2)) }
    private var wanted: Double { Double(size) * aim - Double(others) }

    /// - Returns: nil if there is no room for the video.
    init?(size: Int, others: Int, seconds: Double) {
        (self.size, self.others, self.seconds) = (size, others, seconds)
        bitrate = 0
        guard seconds > 0, wanted > 0 else { return nil }
        bitrate = Self.bitrate(for: wanted, seconds: seconds)
    }

    /// The minimum bit rate of encoders.
    private static let minBitrate = 1000

    static func bitrate(for bytes: Double, seconds: Double) -> Int {
        max(minBitrate, Int(min(1e9, bytes * 8 / max(0.001, seconds))))
    }

    /// Takes the size of an output and decides.
    mutating func note(_ written: Int) -> Verdict {
        let output = Output(bitrate: bitrate, bytes: Double(max(1, written - others)))
        let next = written <= size ? rate(above: output) : rate(below: output)
        outputs.append(output)
        guard let next else { return written <= size ? .accepted : .tooLarge }
        bitrate = next
        return .tries(bitrate: next)
    }

    /// - Returns: nil if the output is close enough, or cannot be closer.
    private func rate(above output: Output) -> Int? {
        let isClose = room - output.bytes <= Double(size) * Self.slack
        // Pictures that have taken no more at a higher rate never will.
        let isFull = outputs.last.map { $0.bitrate < output.bitrate && $0.bytes >= output.bytes } ?? false
        guard !isClose, !isFull, outputs.count + 1 < Self.maxRefinements else { return nil }
        let next = Int(min(1e9, guess(after: output)))
        return next > output.bitrate ? next : nil
    }

    /// - Returns: nil if the encoder cannot make it smaller.
    private func rate(below output: Output) -> Int? {
        let isFloor = outputs.contains {
            Double($0.bitrate) >= 1.25 * Double(output.bitrate) && $0.bytes * 0.98 <= output.bytes
        }
        guard !isFloor, output.bitrate > Self.minBitrate, outputs.count + 1 < Self.maxOutputs else { return nil }
        if outputs.count >= Self.maxCorrections, let fitting, fitting.bitrate < output.bitrate {
            return fitting.bitrate
        }
        let isStep = outputs.last.map { $0.bitrate > output.bitrate && $0.bytes <= output.bytes } ?? false
        let highest = Double(output.bitrate) * (isStep ? 0.93 : 0.99 - 0.01 * Double(outputs.count))
        return max(Self.minBitrate, Int(min(highest, guess(after: output))))
    }

    /// The largest output that is small enough.
    private var fitting: Output? { outputs.filter { $0.bytes <= room }.max { $0.bytes < $1.bytes } }

    /// Estimates the rate: on the line through the nearest outputs above and below the size, otherwise through the last
    /// two, otherwise through zero.
    private func guess(after output: Output) -> Double {
        let isSmall = output.bytes <= room
        let others = outputs.filter { ($0.bytes <= room) != isSmall }
        let other = others.min { abs($0.bytes - room) < abs($1.bytes - room) } ?? outputs.last
        let even = output.bytes / Double(output.bitrate)
        let slope = other.map { (output.bytes - $0.bytes) / Double(output.bitrate - $0.bitrate) } ?? even
        // Two outputs whose rates are close say more of chance than of the encoder.
        let isPlausible = slope.isFinite && slope > even / 5 && slope < even * 5
        return Double(output.bitrate) + (wanted - output.bytes) / (isPlausible ? slope : even)
    }
}

/// The overhead of containers. A first estimate, which outputs correct.
struct ContainerOverhead {
    let container: Container

    func bytes(_ streams: [CountingSink.Count]) -> Int {
        streams.reduce(2000) { $0 + $1.packets * perPacket + Int(Double($1.bytes) * share) }
    }

    /// An entry in the sample tables, a block header, or a PES header with stuffing.
    private var perPacket: Int {
        switch container {
        case .mp4, .mov: 14
        case .mkv, .webm: 9
        case .ts: 110
        case .h264, .h265: 0
        }
    }

    /// Each 188-byte packet has a four-byte header.
    private var share: Double { container == .ts ? 4 / 184.0 : 0 }
}

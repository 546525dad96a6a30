import VTXMedia
import VTXTask

/// Which bit rate gives an output the size that was asked for. It decides and encodes nothing.
///
/// The first rate follows from what a run has counted; each output that misses the size corrects it. Encoders are not
/// exact: rates go in steps, and those that share the work out differ a little from run to run. So an output that is small
/// enough is refined a few times at most, and one that is too large is lowered until it fits.
struct SizeSearch: Sendable, Hashable {
    /// What becomes of an output.
    enum Verdict: Sendable, Hashable {
        case accepted
        case tries(bitrate: Int)
        case tooLarge
    }

    /// An output may be this much smaller than it might be.
    private static let slack = 0.01
    /// From this output on, the next one that fits is taken.
    private static let maxRefinements = 4
    /// From this output on, a rate that has fitted is taken again.
    private static let maxCorrections = 7
    private static let maxOutputs = 12

    /// Bytes of the whole output.
    let size: Int
    /// Bytes of what is beside the video, the container's own among them.
    let others: Int
    let seconds: Double
    /// Of the next output.
    private(set) var bitrate: Int
    /// So far, in their order.
    private var outputs: [Output] = []

    private struct Output: Sendable, Hashable {
        var bitrate: Int
        /// Of the video.
        var bytes: Double
    }

    /// What the video may take.
    private var room: Double { Double(size - others) }
    /// The part of the size that is aimed at: below it there is room to miss, above there is none. An encoder that has
    /// missed often gets more.
    private var aim: Double { 0.997 - 0.01 * Double(max(0, outputs.count - 2)) }
    private var wanted: Double { Double(size) * aim - Double(others) }

    /// - Returns: nil where what is beside the video takes it all.
    init?(size: Int, others: Int, seconds: Double) {
        (self.size, self.others, self.seconds) = (size, others, seconds)
        bitrate = 0
        guard seconds > 0, wanted > 0 else { return nil }
        bitrate = Self.bitrate(for: wanted, seconds: seconds)
    }

    /// The least that encoders take.
    private static let minBitrate = 1000

    static func bitrate(for bytes: Double, seconds: Double) -> Int {
        max(minBitrate, Int(min(1e9, bytes * 8 / max(0.001, seconds))))
    }

    /// An output has been written with the rate.
    mutating func note(_ written: Int) -> Verdict {
        let output = Output(bitrate: bitrate, bytes: Double(max(1, written - others)))
        let next = written <= size ? rate(above: output) : rate(below: output)
        outputs.append(output)
        guard let next else { return written <= size ? .accepted : .tooLarge }
        bitrate = next
        return .tries(bitrate: next)
    }

    /// - Returns: nil where the output is close enough, or as close as it gets.
    private func rate(above output: Output) -> Int? {
        let isClose = room - output.bytes <= Double(size) * Self.slack
        // Pictures that have taken no more at a higher rate never will.
        let isFull = outputs.last.map { $0.bitrate < output.bitrate && $0.bytes >= output.bytes } ?? false
        guard !isClose, !isFull, outputs.count + 1 < Self.maxRefinements else { return nil }
        let next = Int(min(1e9, guess(after: output)))
        return next > output.bitrate ? next : nil
    }

    /// - Returns: nil where the encoder makes nothing smaller.
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

    /// The largest so far that is small enough.
    private var fitting: Output? { outputs.filter { $0.bytes <= room }.max { $0.bytes < $1.bytes } }

    /// The rate for what is wanted: on the line through the nearest outputs on both sides of the size, else through the
    /// last two, else through zero.
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

/// What containers take beside the packets. A first guess: outputs correct it.
struct ContainerOverhead {
    let container: Container

    func bytes(_ streams: [CountingSink.Count]) -> Int {
        streams.reduce(2000) { $0 + $1.packets * perPacket + Int(Double($1.bytes) * share) }
    }

    /// An entry in the tables of samples, a block's header, a PES header with the rest of its last packet.
    private var perPacket: Int {
        switch container {
        case .mp4, .mov: 14
        case .mkv, .webm: 9
        case .ts: 110
        case .h264, .h265: 0
        }
    }

    /// Four bytes of each 188 are a packet's header.
    private var share: Double { container == .ts ? 4 / 184.0 : 0 }
}

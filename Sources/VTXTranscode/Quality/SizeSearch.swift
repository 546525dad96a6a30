import VTXMedia
import VTXTask

/// Which bit rate gives an output the size that was asked for. It decides and encodes nothing.
///
/// The first rate follows from what a run has counted; each output that misses the size corrects it.
struct SizeSearch: Sendable, Hashable {
    /// What becomes of an output.
    enum Verdict: Sendable, Hashable {
        case accepted
        case tries(bitrate: Int)
        case tooLarge
    }

    /// An output may be this much smaller than it might be.
    private static let slack = 0.01
    /// The part of the size that is aimed at: below it there is room to miss, above there is none.
    private static let aim = 0.997
    private static let maxOutputs = 4

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

    /// - Returns: nil where what is beside the video takes it all.
    init?(size: Int, others: Int, seconds: Double) {
        (self.size, self.others, self.seconds) = (size, others, seconds)
        bitrate = 0
        let first = Double(size) * Self.aim - Double(others)
        guard seconds > 0, first > 0 else { return nil }
        bitrate = Self.bitrate(for: first, seconds: seconds)
    }

    /// The least that encoders take.
    private static let minBitrate = 1000

    static func bitrate(for bytes: Double, seconds: Double) -> Int {
        max(minBitrate, Int(min(1e9, bytes * 8 / max(0.001, seconds))))
    }

    /// An output has been written with the rate.
    mutating func note(_ written: Int) -> Verdict {
        let output = Output(bitrate: bitrate, bytes: Double(max(1, written - others)))
        defer { outputs.append(output) }
        let isSmallEnough = written <= size
        if isSmallEnough, Double(written) >= Double(size) * (1 - Self.slack) { return .accepted }
        let next = rate(after: output)
        // Pictures that have taken no more at a higher rate never will.
        let isFull = outputs.last.map { $0.bitrate < output.bitrate && $0.bytes >= output.bytes } ?? false
        guard outputs.count + 1 < Self.maxOutputs, next != bitrate, !(isSmallEnough && isFull) else {
            return isSmallEnough ? .accepted : .tooLarge
        }
        bitrate = next
        return .tries(bitrate: next)
    }

    /// On the line through the last two outputs; the first one's size is taken to grow with its rate.
    private func rate(after output: Output) -> Int {
        let wanted = Double(size) * Self.aim - Double(others)
        let earlier = outputs.last ?? Output(bitrate: 0, bytes: 0)
        let slope = (output.bytes - earlier.bytes) / Double(output.bitrate - earlier.bitrate)
        guard slope.isFinite, slope > 0 else { return Self.bitrate(for: wanted, seconds: seconds) }
        let next = Double(output.bitrate) + (wanted - output.bytes) / slope
        return max(Self.minBitrate, Int(min(1e9, next)))
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

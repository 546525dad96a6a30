import VTXFFmpeg
import VTXMedia

/// The frames of the output that the check decodes, as they were before they were encoded: key frames spread over the
/// whole of it, and the last group of pictures.
struct OutputSamples: Sendable {
    /// By their packets' places in the stream.
    var keyFrames: [Int: FrameSignature] = [:]
    var lastGroup = Group()

    struct Group: Sendable {
        /// The place of its key frame.
        var firstPacket = 0
        /// In presentation order; nil for a frame that nothing is known of.
        var frames: [FrameSignature?] = []

        var packets: Range<Int> { firstPacket..<firstPacket + frames.count }
    }
}

/// Takes the samples while frames go into the encoder and packets come out.
///
/// A frame in memory costs microseconds, so each gets a signature at once. Frames on surfaces have to be copied to
/// memory: they wait for their packets, as they do in the encoder, and only key frames and the last frame are copied.
struct SampleCollector {
    /// Of key frames.
    private static let spacing = 4.0
    /// Luma samples of the last group that are decoded again: half a second's work at most.
    private static let groupBudget = 250_000_000

    private let spacing: Int64
    private let groupLimit: Int
    private var samples = OutputSamples()
    private var waiting: [Int64: Waiting] = [:]
    private var group: [Int64: FrameSignature?] = [:]
    private var packetCount = 0
    private var lastTaken: Int64?
    private var newest: Frame?

    private enum Waiting {
        case signature(FrameSignature)
        case surface(Frame)

        func signature() throws(FFmpegError) -> FrameSignature {
            switch self {
            case .signature(let signature): signature
            case .surface(let frame): try FrameSignature(frame)
            }
        }
    }

    /// - Parameter packets: those that are in the output already.
    init(_ size: PixelSize, timeBase: Rational, after packets: Int = 0) {
        packetCount = packets
        spacing = MediaTime(seconds: Self.spacing).rescaled(to: timeBase).ticks
        groupLimit = max(1, Self.groupBudget / max(1, size.width * size.height))
    }

    /// A frame goes into the encoder.
    mutating func add(_ frame: Frame) throws(FFmpegError) {
        guard let pts = frame.pts else { return }
        guard frame.isOnSurface else { return waiting[pts] = .signature(try FrameSignature(frame)) }
        waiting[pts] = .surface(try frame.reference())
        newest = try frame.reference()
    }

    /// A packet comes out of it.
    mutating func add(_ packet: Packet) throws(FFmpegError) {
        defer { packetCount += 1 }
        guard let pts = packet.pts, let frame = waiting.removeValue(forKey: pts) else { return }
        if packet.isKeyFrame {
            samples.lastGroup.firstPacket = packetCount
            group = [:]
        }
        guard group.count < groupLimit else { return }
        if packet.isKeyFrame, lastTaken.map({ pts - $0 >= spacing }) ?? true {
            let signature = try frame.signature()
            samples.keyFrames[packetCount] = signature
            group[pts] = signature
            lastTaken = pts
        } else if case .signature(let signature) = frame {
            group[pts] = signature
        } else {
            group[pts] = .some(nil)
        }
    }

    /// Every packet has come out.
    mutating func finish() throws(FFmpegError) -> OutputSamples {
        if let newest, let pts = newest.pts, group.keys.contains(pts) { group[pts] = try FrameSignature(newest) }
        samples.lastGroup.frames = group.sorted { $0.key < $1.key }.map(\.value)
        return samples
    }
}

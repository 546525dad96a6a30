import VTXFFmpeg
import VTXMedia
import VTXTask

/// The frames of the output that the check decodes, as they were before encoding: GOPs, some reduced to their key
/// frame.
struct OutputSamples: Sendable, Codable {
    /// In stream order, without overlaps.
    var groups: [Group] = []

    /// A GOP.
    struct Group: Sendable, Codable {
        /// The index of its key frame's packet in the stream.
        var firstPacket: Int
        /// In display order.
        var frames: [Sample] = []

        init(firstPacket: Int, frames: [Sample] = []) { (self.firstPacket, self.frames) = (firstPacket, frames) }

        /// - Parameter frames: With their times, in any order.
        init(firstPacket: Int, timed frames: [(pts: Int64, sample: Sample)]) {
            self.init(firstPacket: firstPacket, frames: frames.sorted { $0.pts < $1.pts }.map(\.sample))
        }

        var packets: Range<Int> { firstPacket..<firstPacket + frames.count }

        func moved(by packets: Int) -> Group { Group(firstPacket: firstPacket + packets, frames: frames) }
    }

    struct Sample: Sendable, Codable {
        /// The index of its packet, counted from the key frame.
        var place: Int32
        /// nil if only the existence of the frame is known.
        var signature: FrameSignature?
    }
}

/// Collects samples while frames go into the encoder and packets come out.
///
/// A frame in memory takes microseconds, so each gets a signature immediately. Frames on surfaces have to be copied to
/// memory: they wait for their packets, as in the encoder, and only those of sampled GOPs are copied.
struct SampleCollector {
    /// The interval of sampled key frames whose GOPs are not sampled, in seconds.
    private static let spacing = 4.0
    /// One in this many GOPs is sampled as a whole, including the first one of an encoder that continues an earlier run
    /// or another encoder.
    private static let interval = 10
    /// The maximum number of luma samples of a GOP that are decoded again: at most a quarter of a second of work.
    private static let groupBudget = 125_000_000

    private let level: VerificationLevel
    private let spacing: Int64
    private let groupLimit: Int
    private var groups: [OutputSamples.Group] = []
    private var waiting: [Int64: Waiting] = [:]
    private var group: Open?
    private var groupCount: Int
    private var seams = 0
    private var packetCount = 0
    private var lastTaken: Int64?
    private var newest: Frame?

    private enum Waiting {
        case signature(FrameSignature)
        case surface(Frame)
    }

    /// The GOP whose packets are coming out.
    private struct Open {
        var firstPacket: Int
        var isWhole: Bool
        var hasKeyFrame: Bool
        var frames: [(pts: Int64, sample: OutputSamples.Sample)] = []

        /// Returns the sampled part of the GOP.
        func closed(isLast: Bool) -> OutputSamples.Group? {
            guard isWhole || isLast || hasKeyFrame else { return nil }
            let kept = isWhole || isLast ? frames : Array(frames.prefix(1))
            return .init(firstPacket: firstPacket, timed: kept)
        }
    }

    /// - Parameter groups: The number of GOPs counted before; those of other encoders if a segment has only one or two.
    init(_ level: VerificationLevel, _ size: PixelSize, timeBase: Rational, after groups: Int = 0) {
        self.level = level
        groupCount = groups
        spacing = MediaTime(seconds: Self.spacing).rescaled(to: timeBase).ticks
        groupLimit = Self.groupLimit(level, size)
    }

    /// The maximum number of frames of a GOP that are sampled.
    static func groupLimit(_ level: VerificationLevel, _ size: PixelSize) -> Int {
        level == .full ? .max : max(1, groupBudget / max(1, size.width * size.height))
    }

    /// Whether a GOP is sampled as a whole wherever it is.
    static func isWhole(_ level: VerificationLevel, group: Int) -> Bool { level == .full || group % interval == 0 }

    /// Adds a frame that goes into the encoder.
    mutating func add(_ frame: Frame) throws(FFmpegError) {
        guard level != .off, let pts = frame.pts else { return }
        guard frame.isOnSurface else { return waiting[pts] = .signature(try FrameSignature(frame)) }
        waiting[pts] = .surface(try frame.reference())
        newest = try frame.reference()
    }

    /// Adds a packet that comes out of the encoder.
    ///
    /// - Parameter seams: The number of times the encoder has been replaced.
    /// - Returns: the signature of its frame; nil if it is not sampled.
    @discardableResult
    mutating func add(_ packet: Packet, seams: Int = 0) throws(FFmpegError) -> FrameSignature? {
        defer { packetCount += 1 }
        guard let pts = packet.pts, let frame = waiting.removeValue(forKey: pts) else { return nil }
        if packet.isKeyFrame { begin(at: pts, isAtSeam: seams > self.seams) }
        if packet.isKeyFrame { self.seams = seams }
        guard let group, group.frames.count < groupLimit else { return nil }
        let isWanted = group.isWhole || group.frames.isEmpty && group.hasKeyFrame
        let place = Int32(clamping: packetCount - group.firstPacket)
        let sample = OutputSamples.Sample(place: place, signature: try signature(frame, isWanted: isWanted))
        self.group?.frames.append((pts, sample))
        return sample.signature
    }

    private mutating func begin(at pts: Int64, isAtSeam: Bool) {
        // The one before a seam is the last of its encoder.
        if let done = group?.closed(isLast: isAtSeam) { groups.append(done) }
        let isWhole = isAtSeam || Self.isWhole(level, group: groupCount)
        let isTaken = isWhole || lastTaken.map { pts - $0 >= spacing } ?? true
        if isTaken { lastTaken = pts }
        group = Open(firstPacket: packetCount, isWhole: isWhole, hasKeyFrame: isTaken)
        groupCount += 1
    }

    private func signature(_ frame: Waiting, isWanted: Bool) throws(FFmpegError) -> FrameSignature? {
        switch frame {
        case .signature(let signature): signature
        case .surface(let frame): isWanted ? try FrameSignature(frame) : nil
        }
    }

    /// Completes the samples when every packet has come out.
    ///
    /// - Parameter isLast: Whether nothing follows, from another encoder either.
    mutating func finish(isLast: Bool = true) throws(FFmpegError) -> OutputSamples {
        if let newest, let last = group?.frames.firstIndex(where: { $0.pts == newest.pts }),
            group?.frames[last].sample.signature == nil
        {
            group?.frames[last].sample.signature = try FrameSignature(newest)
        }
        if let done = group?.closed(isLast: isLast) { groups.append(done) }
        (group, newest) = (nil, nil)
        return OutputSamples(groups: groups)
    }
}

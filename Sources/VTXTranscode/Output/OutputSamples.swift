import VTXFFmpeg
import VTXMedia
import VTXTask

/// The frames of the output that the check decodes, as they were before they were encoded: groups of pictures, some of
/// them cut down to their key frame.
struct OutputSamples: Sendable, Codable {
    /// In the order of the stream, without overlaps.
    var groups: [Group] = []

    /// A group of pictures from its key frame on.
    struct Group: Sendable, Codable {
        /// The place of its key frame's packet in the stream.
        var firstPacket: Int
        /// In presentation order.
        var frames: [Sample] = []

        var packets: Range<Int> { firstPacket..<firstPacket + frames.count }

        func moved(by packets: Int) -> Group { Group(firstPacket: firstPacket + packets, frames: frames) }
    }

    struct Sample: Sendable, Codable {
        /// Of its packet, from the key frame's.
        var place: Int32
        /// nil where nothing is known of the frame but that it is there.
        var signature: FrameSignature?
    }
}

/// Takes the samples while frames go into the encoder and packets come out.
///
/// A frame in memory costs microseconds, so each gets a signature at once. Frames on surfaces have to be copied to
/// memory: they wait for their packets, as they do in the encoder, and only those of sampled groups are copied.
struct SampleCollector {
    /// Of key frames whose groups are not sampled.
    private static let spacing = 4.0
    /// One of this many groups is sampled as a whole. The first one is, with which an encoder goes on after an earlier
    /// run or another encoder.
    private static let interval = 10
    /// Luma samples of a group that are decoded again: a quarter of a second's work at most.
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

    /// The group that packets are coming out of.
    private struct Open {
        var firstPacket: Int
        var isWhole: Bool
        var hasKeyFrame: Bool
        var frames: [(pts: Int64, sample: OutputSamples.Sample)] = []

        /// As far as it is sampled.
        func closed(isLast: Bool) -> OutputSamples.Group? {
            guard isWhole || isLast || hasKeyFrame else { return nil }
            let kept = isWhole || isLast ? frames : Array(frames.prefix(1))
            return .init(firstPacket: firstPacket, frames: kept.sorted { $0.pts < $1.pts }.map(\.sample))
        }
    }

    /// - Parameter groups: as many are counted already; those of other encoders, where a segment is one or two.
    init(_ level: VerificationLevel, _ size: PixelSize, timeBase: Rational, after groups: Int = 0) {
        self.level = level
        groupCount = groups
        spacing = MediaTime(seconds: Self.spacing).rescaled(to: timeBase).ticks
        groupLimit = level == .full ? .max : max(1, Self.groupBudget / max(1, size.width * size.height))
    }

    /// A frame goes into the encoder.
    mutating func add(_ frame: Frame) throws(FFmpegError) {
        guard level != .off, let pts = frame.pts else { return }
        guard frame.isOnSurface else { return waiting[pts] = .signature(try FrameSignature(frame)) }
        waiting[pts] = .surface(try frame.reference())
        newest = try frame.reference()
    }

    /// A packet comes out of it.
    ///
    /// - Parameter seams: how often the encoder has been replaced.
    mutating func add(_ packet: Packet, seams: Int = 0) throws(FFmpegError) {
        defer { packetCount += 1 }
        guard let pts = packet.pts, let frame = waiting.removeValue(forKey: pts) else { return }
        if packet.isKeyFrame { begin(at: pts, isAtSeam: seams > self.seams) }
        if packet.isKeyFrame { self.seams = seams }
        guard let group, group.frames.count < groupLimit else { return }
        let isWanted = group.isWhole || group.frames.isEmpty && group.hasKeyFrame
        let place = Int32(clamping: packetCount - group.firstPacket)
        let sample = OutputSamples.Sample(place: place, signature: try signature(frame, isWanted: isWanted))
        self.group?.frames.append((pts, sample))
    }

    private mutating func begin(at pts: Int64, isAtSeam: Bool) {
        // The one before a seam is the last of its encoder.
        if let done = group?.closed(isLast: isAtSeam) { groups.append(done) }
        let isWhole = level == .full || isAtSeam || groupCount % Self.interval == 0
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

    /// Every packet has come out.
    ///
    /// - Parameter isLast: nothing follows, from another encoder either.
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

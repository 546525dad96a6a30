import VTXFFmpeg
import VTXJournal
import VTXMedia
import VTXSession
import VTXSystem
import VTXTask

/// Reads the frames of a shard in sequence.
struct JournalReplay {
    private let shard: JournalShard
    private let directory: JournalDirectory
    private let timeBase: Rational
    private var nextGOP = 0
    private var frames: ArraySlice<JournalPacket> = []
    /// The parameter sets of the current GOP.
    private(set) var parameterSets: [UInt8] = []

    init(_ shard: JournalShard, of directory: JournalDirectory, timeBase: Rational) {
        self.shard = shard
        self.directory = directory
        self.timeBase = timeBase
    }

    /// Returns the next frame if its decoding time is not later than `time`; without a time, any next frame.
    ///
    /// - Parameter onGOP: Called with a GOP before its first frame.
    mutating func next(
        upTo time: MediaTime?, onGOP: (ReplayedGOP) -> Void
    ) throws(JournalError) -> JournalPacket? {
        if frames.isEmpty {
            guard nextGOP < shard.gops.count else { return nil }
            if let time, seconds(shard.gops[nextGOP].firstPTS) > time.seconds { return nil }
            let gop = try shard.read(shard.gops[nextGOP], of: directory)
            (parameterSets, frames) = (gop.parameterSets, gop.frames[...])
            nextGOP += 1
            onGOP(ReplayedGOP(number: nextGOP - 1, isLast: nextGOP == shard.gops.count, frames: gop.frames))
        }
        guard let frame = frames.first, let start = frame.dts ?? frame.pts else { return frames.popFirst() }
        if let time, seconds(start) > time.seconds { return nil }
        return frames.popFirst()
    }

    private func seconds(_ ticks: Int64) -> Double { MediaTime(ticks, timeBase).seconds }
}

/// A GOP of an earlier run.
struct ReplayedGOP {
    /// Counted from the beginning of the video.
    var number: Int
    /// Whether another encoder continues after it.
    var isLast: Bool
    /// In decoding order.
    var frames: [JournalPacket]

    /// Returns what the check decodes of it, and compares if the earlier run has kept signatures; nil for nothing.
    func samples(for encoding: VideoEncoding) -> OutputSamples.Group? {
        let level = encoding.verification
        guard level != .off, isLast || SampleCollector.isWhole(level, group: number) else { return nil }
        let sampled = frames.prefix(SampleCollector.groupLimit(level, encoding.encoder.size)).enumerated()
        return OutputSamples.Group(
            firstPacket: 0,
            timed: sampled.map { place, frame in
                (frame.pts ?? 0, .init(place: Int32(clamping: place), signature: FrameSignature(frame.signature)))
            })
    }
}

extension JournalPacket {
    /// Copies a packet's data, timestamps and flags, without its side data.
    init(_ packet: Packet) {
        self.init(timesOf: packet)
        payload = Array(packet.bytes)
    }

    func packet(timeBase: Rational) throws(FFmpegError) -> Packet {
        let packet = try Packet(bytes: payload, pts: pts, dts: dts, duration: duration, timeBase: timeBase)
        packet.flags = flags
        return packet
    }
}

extension JournalShard {
    /// Returns what its frames have used of their encoder's rate; nil if the encoder has no rate account, or a GOP
    /// cannot be read. That error is reported when the GOP is copied to the output.
    ///
    /// - Parameter seconds: The duration of the whole output; nil if unknown.
    func rate(
        in directory: JournalDirectory, _ encoder: EncoderConfiguration, seconds: Double?
    ) -> RateAccount? {
        guard var rate = encoder.rateAccount(seconds: seconds) else { return nil }
        for gop in gops {
            guard let frames = try? read(gop, of: directory).frames else { return nil }
            for frame in frames {
                guard let time = frame.dts ?? frame.pts else { continue }
                rate.take(byteCount: frame.payload.count, at: MediaTime(time, encoder.timeBase).seconds)
            }
        }
        return rate
    }

    /// Leaves out the first GOP with a frame that cannot be compared, and what follows.
    mutating func keepComparable(in directory: JournalDirectory) throws(JournalError) {
        var count = 0
        for gop in gops {
            guard try read(gop, of: directory).frames.allSatisfy({ !$0.signature.isEmpty }) else {
                _ = cut(before: count)
                return
            }
            count += Int(gop.frameCount)
        }
    }

    /// Returns how what follows its frames is joined with them; nil if it has none.
    ///
    /// - Parameter minDelay: The minimum number of frames by which decoding must precede display.
    func assembly(
        in directory: JournalDirectory, _ encoder: EncoderConfiguration, minDelay: Int
    ) throws(JournalError) -> VideoAssembly? {
        guard let first = gops.first else { return nil }
        let gop = try read(first, of: directory)
        let frames = gop.frames.compactMap { frame in frame.pts.map { (pts: $0, dts: frame.dts ?? $0) } }
        let duration = MediaTime.rescale(1, from: encoder.frameRate.reciprocal, to: encoder.timeBase)
        return VideoAssembly(
            parameterSets: gop.parameterSets,
            times: DecodingTimes(after: frames, minDelay: minDelay, frameDuration: duration))
    }
}

import VTXFFmpeg
import VTXMedia

/// Puts a connection's packets on the monotonic clock: the first one came when it came, and the others follow by their own
/// times. What is out of line waits, and discontinuities go (`TimestampNormalizer`).
struct InputTimes {
    private let timelines: [Int: StreamTimeline]
    private var normalizer: TimestampNormalizer?
    private var held: [Int: [Packet]] = [:]

    init(_ video: InputStream, _ audio: InputStream?) {
        var timelines = [
            video.index: StreamTimeline(
                .decodedVideo, timeBase: video.timeBase, wrapBits: video.wrapBits, frameRate: video.averageFrameRate)
        ]
        if let audio {
            timelines[audio.index] = StreamTimeline(.audio, timeBase: audio.timeBase, wrapBits: audio.wrapBits)
        }
        self.timelines = timelines
    }

    /// - Parameter now: seconds on the monotonic clock.
    /// - Returns: packets whose times are settled.
    mutating func take(_ packet: Packet, now: Double) -> [Packet] {
        let stream = packet.streamIndex
        guard timelines[stream] != nil else { return [] }
        held[stream, default: []].append(packet)
        var normalizer = normalizer ?? start(packet, now)
        defer { self.normalizer = normalizer }
        return release(normalizer.take(PacketTimes(packet), of: stream), of: stream)
    }

    private func start(_ packet: Packet, _ now: Double) -> TimestampNormalizer {
        let first = (packet.decodingTime ?? packet.presentationTime)?.seconds ?? 0
        return TimestampNormalizer(timelines, offset: now - first, hasDiscontinuities: true)
    }

    /// Nothing more comes.
    mutating func finish() -> [Packet] {
        timelines.keys.sorted().flatMap { stream in release(normalizer?.finish(stream) ?? [], of: stream) }
    }

    private mutating func release(_ settled: [PacketTimes], of stream: Int) -> [Packet] {
        settled.compactMap { times in
            guard held[stream]?.isEmpty == false, let packet = held[stream]?.removeFirst() else { return nil }
            (packet.pts, packet.dts, packet.duration) = (times.pts, times.dts, times.duration)
            return packet
        }
    }
}

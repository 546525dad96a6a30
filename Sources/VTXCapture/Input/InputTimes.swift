import VTXFFmpeg
import VTXMedia

/// Maps a connection's packets to the monotonic clock: the first one to its arrival, the others relative to it. Packets
/// out of order are delayed, and discontinuities removed (`TimestampNormalizer`).
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

    /// - Parameter now: Seconds on the monotonic clock.
    /// - Returns: packets with final timestamps.
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

    /// Flushes delayed packets.
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

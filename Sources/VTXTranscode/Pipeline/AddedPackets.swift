import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// Reads packets of separate input files in step with the source, so that the muxer has to buffer little.
///
/// Each file has its own timeline, which starts at the beginning of the source. Discontinuities of the source do not
/// affect it.
struct AddedPackets {
    private var readers: [AddedReader] = []
    private let end: Double

    init(_ source: Source, _ plan: TranscodePlan, _ damage: InputErrorReport) {
        let range = plan.timestamps
        end = range.end ?? .infinity
        for added in source.added {
            let planned = plan.streams.first { $0.source.index == added.stream.index }
            guard let planned, !planned.isDropped else { continue }
            let offset = Self.start(of: source) - range.offset.seconds - added.origin
            let normalizer = TimestampNormalizer(
                [added.stream.index: StreamTimeline(planned)], offset: offset, end: range.end,
                hasDiscontinuities: added.demuxer.hasDiscontinuities)
            added.demuxer.keepOnly([added.index])
            added.seek(to: range.start.map { $0 - offset })
            readers.append(AddedReader(added, normalizer, damage))
        }
    }

    /// The time at which players start counting, in seconds. Audio just before zero is encoder delay.
    private static func start(of source: Source) -> Double {
        let first = source.demuxer.startTime?.seconds ?? 0
        return (-OutputRange.preroll..<0).contains(first) ? 0 : first
    }

    /// Routes the packets decoded up to a time, in seconds of the output, except those after the end of the output.
    mutating func advance(to time: Double, _ router: inout PacketRouter) throws {
        for index in readers.indices {
            while let packet = readers[index].peek() {
                let begin = (packet.decodingTime ?? packet.presentationTime)?.seconds ?? -.infinity
                if begin >= end { readers[index].finish() }
                guard begin < end, begin <= time else { break }
                readers[index].removeFirst()
                try router.take(packet, of: readers[index].added.stream.index)
            }
        }
    }
}

/// Reads one file.
private struct AddedReader {
    let added: AddedStream
    private var normalizer: TimestampNormalizer
    private let damage: InputErrorReport
    private var held: [Packet] = []
    /// With timestamps of the output.
    private var ready: [Packet] = []
    private var isAtEnd = false
    private var reader: PacketReader
    /// The end of what was read, in seconds of the file.
    private var reached = 0.0

    init(_ added: AddedStream, _ normalizer: TimestampNormalizer, _ damage: InputErrorReport) {
        (self.added, self.normalizer, self.damage) = (added, normalizer, damage)
        reader = PacketReader(damage)
    }

    /// Returns the next packet without taking it; nil at the end.
    mutating func peek() -> Packet? {
        while ready.isEmpty, !isAtEnd { read() }
        return ready.first
    }

    mutating func removeFirst() { ready.removeFirst() }

    /// Skips the rest of the file.
    mutating func finish() { (isAtEnd, ready) = (true, []) }

    private mutating func read() {
        let index = added.stream.index
        guard let packet = reader.next(added.demuxer.read) else {
            isAtEnd = true
            damage.countUnreadable(added.demuxer.skippedDamageCount)
            if let message = added.truncation(after: reached) { damage.sourceEndedEarly(message) }
            return settle(normalizer.finish(index))
        }
        guard packet.streamIndex == added.index else { return }
        let end = packet.presentationTime.map { $0.seconds + MediaTime(packet.duration, packet.timeBase).seconds }
        reached = max(reached, end ?? 0)
        if packet.isCorrupt || packet.isEncrypted { damage.countUnreadable() }
        held.append(packet)
        settle(normalizer.take(PacketTimes(packet), of: index))
    }

    private mutating func settle(_ settled: [PacketTimes]) {
        for times in settled where !held.isEmpty {
            let packet = held.removeFirst()
            (packet.pts, packet.dts, packet.duration) = (times.pts, times.dts, times.duration)
            ready.append(packet)
        }
    }
}

extension AddedStream {
    /// Describes what is missing at the end of an audio file; nil for a complete one.
    ///
    /// - Parameter reached: The end of the last packet, in seconds of the file.
    fileprivate func truncation(after reached: Double) -> String? {
        guard stream.kind == .audio, let path = stream.file, let byteCount = FileStatus(path)?.byteCount else {
            return nil
        }
        // Of several streams, the longest determines the duration.
        let duration = demuxer.streams.count == 1 && demuxer.hasExactDuration ? demuxer.duration?.seconds : nil
        let end = duration.map { $0 + (demuxer.startTime?.seconds ?? 0) }
        let message =
            TruncationCheck.message(of: demuxer.indexedPackets(of: index, beyond: byteCount))
            ?? end.flatMap { TruncationCheck.message(reached: reached, of: $0) }
        return message.map { "'\(path)' is truncated: \($0)" }
    }

    /// How much earlier to seek for audio, in seconds: decoders need preroll, and containers are not exact.
    private static let margin = 1.0

    /// Skips audio before the start of the output. Subtitles are read from the beginning, because a cue may have any
    /// duration.
    ///
    /// - Parameter time: In seconds of the file; nil for its beginning.
    fileprivate func seek(to time: Double?) {
        guard stream.kind == .audio, let time, time > Self.margin else { return }
        // If seeking fails, the file is read from its beginning.
        try? demuxer.seek(to: MediaTime(seconds: time - Self.margin))
    }
}

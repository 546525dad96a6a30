import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The record of what went into the output, by stream, for the check of the output.
final class OutputLedger: Sendable {
    struct Entry: Sendable {
        var packets = 0
        /// The start of the last packet, in seconds; nil before the first one.
        var lastTime: Double?
    }

    /// The frames passed to one encoder.
    private struct Section {
        var times: [Int64] = []
        /// The duration of the last frame.
        var duration = 0.0
        var samples = OutputSamples()
        /// The lane of the encoder.
        var lane = 0

        /// Inserts a frame in display order.
        mutating func insert(_ pts: Int64, seconds: Double) {
            let place = times.lastIndex { $0 <= pts }.map { $0 + 1 } ?? 0
            if place == times.count { duration = seconds }
            times.insert(pts, at: place)
        }
    }

    private struct State {
        var entries: [Entry]
        /// The frames encoded by earlier runs.
        var earlier = Section()
        /// The segments of this run, whose encoders run in parallel.
        var sections: [Section] = []
        var earlierPeak = PeakBitrate()
        var peak = PeakBitrate()
        var rates = BitRateMeter()
        var bytes: Int64 = 0
        var headerBytes: Int64 = 0
        var source = SourcePositions()
        var isComplete = false
        var hasEncoded = false
        var firstWrongPacket: Int?
        var verification: VerificationReport?
        /// The signatures of frames whose packets have not reached the journal, by time; nil without a journal.
        var signatures: [Int64: FrameSignature]?
        var hasReplacedEncoder = false

        /// The sections that have frames, in output order.
        var filled: [Section] { ([earlier] + sections).filter { !$0.times.isEmpty } }

        mutating func change(_ segment: Int, _ body: (inout Section) -> Void) {
            while sections.count <= segment { sections.append(Section()) }
            body(&sections[segment])
        }
    }

    private let state: Locked<State>

    init(streams: Int) { state = Locked(State(entries: Array(repeating: Entry(), count: streams))) }

    func note(_ packet: Packet, stream: Int) {
        let start = packet.presentationTime?.seconds
        state.withLock { state in
            state.entries[stream].packets += 1
            // FLAC's encoder ends with its final header, in a packet without samples.
            guard let start, packet.byteCount > 0 else { return }
            state.entries[stream].lastTime = max(state.entries[stream].lastTime ?? start, start)
        }
    }

    /// Notes a frame passed to the encoder of a segment, in ticks of the encoder's time base. It must come out again.
    func noteFrame(_ pts: Int64, seconds: Double, of segment: Int = 0) {
        state.withLock {
            $0.change(segment) { section in
                section.times.append(pts)
                section.duration = seconds
            }
        }
    }

    /// Notes a frame encoded by an earlier run, which precedes all frames of this run.
    func noteEarlierFrame(_ pts: Int64, seconds: Double) {
        state.withLock {
            $0.earlier.times.append(pts)
            $0.earlier.duration = seconds
        }
    }

    /// Notes the samples of a GOP encoded by an earlier run, before its frames.
    func noteEarlier(_ group: OutputSamples.Group) {
        state.withLock { $0.earlier.samples.groups.append(group.moved(by: $0.earlier.times.count)) }
    }

    /// Keeps signatures for a journal from now on.
    func keepSignatures() { state.withLock { $0.signatures = $0.signatures ?? [:] } }

    func note(_ signature: FrameSignature, at pts: Int64) { state.withLock { $0.signatures?[pts] = signature } }

    func takeSignature(at pts: Int64) -> FrameSignature? {
        state.withLock { $0.signatures?.removeValue(forKey: pts) }
    }

    /// Notes a frame that is copied, or that another process has encoded, in decoding order.
    func noteCopied(_ packet: Packet, of segment: Int = 0) {
        guard let pts = packet.pts else { return }
        let seconds = MediaTime(packet.duration, packet.timeBase).seconds
        state.withLock { $0.change(segment) { $0.insert(pts, seconds: seconds) } }
    }

    /// Notes an encoder's output, without anything the container adds.
    ///
    /// - Parameter isEarlier: Whether an earlier run encoded it. These packets arrive while those of this run are
    ///   noted.
    func noteEncoded(_ packet: Packet, isEarlier: Bool = false) {
        guard let time = packet.dts ?? packet.pts else { return }
        let seconds = MediaTime(time, packet.timeBase).seconds
        // When it is shown: the first picture is at the beginning, whatever is decoded before it.
        let shown = MediaTime(packet.pts ?? time, packet.timeBase).seconds
        let duration = MediaTime(packet.duration, packet.timeBase).seconds
        state.withLock { state in
            state.rates.note(byteCount: packet.byteCount, from: shown, to: shown + duration)
            if isEarlier {
                state.earlierPeak.note(byteCount: packet.byteCount, at: seconds)
            } else {
                state.peak.note(byteCount: packet.byteCount, at: seconds)
            }
        }
    }

    /// The maximum number of bits of video in any one second.
    var peakBitrate: Int { state.withLock { max($0.earlierPeak.bits, $0.peak.bits) } }

    /// The size of the encoded video, without the container.
    var encodedByteCount: Int { state.withLock { $0.rates.byteCount } }
    var bitRates: BitRates? { state.withLock { $0.rates.rates } }

    /// Whether the encoder has output its first packet, wherever it is by now.
    var hasEncoded: Bool {
        get { state.withLock { $0.hasEncoded } }
        set { state.withLock { $0.hasEncoded = newValue } }
    }

    /// Notes samples of a segment's frames. Packets are counted from the segment's first one.
    func note(_ samples: OutputSamples, of segment: Int) {
        state.withLock { $0.change(segment) { $0.samples = samples } }
    }

    /// Notes the lane that works on a segment.
    func note(lane: Int, of segment: Int) { state.withLock { $0.change(segment) { $0.lane = lane } } }

    /// The index of the first packet of video that failed the check; nil if none did, or it is unknown.
    var firstWrongPacket: Int? {
        get { state.withLock { $0.firstWrongPacket } }
        set { state.withLock { $0.firstWrongPacket = newValue } }
    }

    /// What the check found; nil before it.
    var verification: VerificationReport? {
        get { state.withLock { $0.verification } }
        set { state.withLock { $0.verification = newValue } }
    }

    /// Notes that another encoder has replaced a segment's, which may be software.
    func noteReplacedEncoder() { state.withLock { $0.hasReplacedEncoder = true } }

    /// The number of packets at the beginning that software may have encoded although a GPU encodes: those of earlier
    /// runs, and all if an encoder was replaced.
    var softwarePackets: Int { state.withLock { $0.hasReplacedEncoder ? .max : $0.earlier.times.count } }

    /// Whether an earlier run encoded that packet.
    var isWrongEarlier: Bool {
        state.withLock { state in state.firstWrongPacket.map { $0 < state.earlier.times.count } ?? false }
    }

    /// The lane that encoded that packet; nil if no lane of this run did.
    var wrongLane: Int? {
        state.withLock { state in
            guard var packet = state.firstWrongPacket.map({ $0 - state.earlier.times.count }), packet >= 0 else {
                return nil
            }
            for section in state.sections {
                if packet < section.times.count { return section.lane }
                packet -= section.times.count
            }
            return nil
        }
    }

    /// The samples of all segments.
    var samples: OutputSamples {
        state.withLock { state in
            var (all, packets) = (state.earlier.samples, state.earlier.times.count)
            for section in state.sections {
                all.groups += section.samples.groups.map { $0.moved(by: packets) }
                packets += section.times.count
            }
            return all
        }
    }

    /// Notes the fraction of the source's bytes that has been read at a time of the output, in seconds.
    func noteSource(_ fraction: Double, at seconds: Double) { state.withLock { $0.source.note(fraction, at: seconds) } }

    /// The fraction of the source's bytes up to a time of the output, in seconds; nil if unknown.
    func sourceFraction(until seconds: Double) -> Double? { state.withLock { $0.source.fraction(until: seconds) } }

    var entries: [Entry] { state.withLock { $0.entries } }
    var videoTimes: [Int64] { state.withLock { $0.filled.flatMap(\.times) } }
    /// The duration of the last frame, in seconds.
    var lastDuration: Double { state.withLock { $0.filled.last?.duration ?? 0 } }
    var frameCount: Int { state.withLock { $0.filled.reduce(0) { $0 + $1.times.count } } }
    var firstTime: Int64? { state.withLock { $0.filled.first?.times.first } }
    var lastTime: Int64? { state.withLock { $0.filled.last?.times.last } }
    /// The duration from the first to the last frame, without what the current segments have not reached.
    var encodedTicks: Int64 {
        state.withLock { state in
            let sections = state.sections.filter { !$0.times.isEmpty }
            let first = state.earlier.times.first ?? sections.first?.times.first ?? 0
            let gaps = zip(sections, sections.dropFirst()).map { ($1.times.first ?? 0) - ($0.times.last ?? 0) }
            return (state.filled.last?.times.last ?? first) - first - gaps.reduce(0, +)
        }
    }

    /// Whether every packet has been written, so that only the container's own work is left.
    var isComplete: Bool {
        get { state.withLock { $0.isComplete } }
        set { state.withLock { $0.isComplete = newValue } }
    }

    func noteSize(of sink: any PacketSink) {
        let (bytes, header) = (sink.byteCount, sink.headerByteCount)
        state.withLock { ($0.bytes, $0.headerBytes) = (bytes, header) }
    }

    var bytes: Int64 { state.withLock { $0.bytes } }
    var headerBytes: Int64 { state.withLock { $0.headerBytes } }
}

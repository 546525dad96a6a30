import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// What went into the output, stream by stream: the measure for the check.
final class OutputLedger: Sendable {
    struct Entry: Sendable {
        var packets = 0
        /// Seconds at which the last packet begins; nil before the first one.
        var lastTime: Double?
    }

    /// What one encoder was given.
    private struct Section {
        var times: [Int64] = []
        /// Of the last frame.
        var duration = 0.0
        var samples = OutputSamples()
        /// Whose encoder it was.
        var lane = 0

        /// Puts a frame in the order in which it is shown.
        mutating func insert(_ pts: Int64, seconds: Double) {
            let place = times.lastIndex { $0 <= pts }.map { $0 + 1 } ?? 0
            if place == times.count { duration = seconds }
            times.insert(pts, at: place)
        }
    }

    private struct State {
        var entries: [Entry]
        /// Of frames that earlier runs have encoded.
        var earlier = Section()
        /// This run's segments; their encoders work side by side.
        var sections: [Section] = []
        var earlierPeak = PeakBitrate()
        var peak = PeakBitrate()
        var rates = BitRateMeter()
        var bytes: Int64 = 0
        var headerBytes: Int64 = 0
        var isComplete = false
        var hasEncoded = false
        var firstWrongPacket: Int?

        /// Those with frames, in the order of the output.
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
            guard let start else { return }
            state.entries[stream].lastTime = max(state.entries[stream].lastTime ?? start, start)
        }
    }

    /// A frame on its way into the encoder of a segment, in ticks of the encoder's time base: it has to come out again.
    func noteFrame(_ pts: Int64, seconds: Double, of segment: Int = 0) {
        state.withLock {
            $0.change(segment) { section in
                section.times.append(pts)
                section.duration = seconds
            }
        }
    }

    /// Likewise a frame that an earlier run has encoded; it comes before all of this run's, whenever it is noted.
    func noteEarlierFrame(_ pts: Int64, seconds: Double) {
        state.withLock {
            $0.earlier.times.append(pts)
            $0.earlier.duration = seconds
        }
    }

    /// A frame that is copied. They come in decoding order.
    func noteCopied(_ packet: Packet) {
        guard let pts = packet.pts else { return }
        let seconds = MediaTime(packet.duration, packet.timeBase).seconds
        state.withLock { $0.change(0) { $0.insert(pts, seconds: seconds) } }
    }

    /// A frame that another process has encoded. They come in decoding order.
    func noteJoined(_ packet: Packet, of segment: Int) {
        guard let pts = packet.pts else { return }
        let seconds = MediaTime(packet.duration, packet.timeBase).seconds
        state.withLock { $0.change(segment) { $0.insert(pts, seconds: seconds) } }
    }

    /// What the encoder gave out; the container has not added anything to it.
    ///
    /// - Parameter isEarlier: an earlier run's encoder did; these come while this run's are noted.
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

    /// Bits of the video in the second that has the most of them.
    var peakBitrate: Int { state.withLock { max($0.earlierPeak.bits, $0.peak.bits) } }

    var bitRates: BitRates? { state.withLock { $0.rates.rates } }

    /// The encoder has given out its first packet, wherever that is by now.
    var hasEncoded: Bool {
        get { state.withLock { $0.hasEncoded } }
        set { state.withLock { $0.hasEncoded = newValue } }
    }

    /// What some of a segment's frames showed; packets are counted from the segment's first one.
    func note(_ samples: OutputSamples, of segment: Int) {
        state.withLock { $0.change(segment) { $0.samples = samples } }
    }

    /// Which lane works on a segment.
    func note(lane: Int, of segment: Int) { state.withLock { $0.change(segment) { $0.lane = lane } } }

    /// The place in the video of the first packet that the check found wrong; nil where it found none, or does not know.
    var firstWrongPacket: Int? {
        get { state.withLock { $0.firstWrongPacket } }
        set { state.withLock { $0.firstWrongPacket = newValue } }
    }

    /// The lane that has made that packet; nil where no lane of this run has.
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
            var (all, packets) = (OutputSamples(), state.earlier.times.count)
            for section in state.sections {
                all.groups += section.samples.groups.map { $0.moved(by: packets) }
                packets += section.times.count
            }
            return all
        }
    }

    var entries: [Entry] { state.withLock { $0.entries } }
    var videoTimes: [Int64] { state.withLock { $0.filled.flatMap(\.times) } }
    /// Seconds that the last frame is shown.
    var lastDuration: Double { state.withLock { $0.filled.last?.duration ?? 0 } }
    var frameCount: Int { state.withLock { $0.filled.reduce(0) { $0 + $1.times.count } } }
    var firstTime: Int64? { state.withLock { $0.filled.first?.times.first } }
    var lastTime: Int64? { state.withLock { $0.filled.last?.times.last } }
    /// From the first frame to the last one, without what segments that are at work have not reached.
    var encodedTicks: Int64 {
        state.withLock { state in
            let sections = state.sections.filter { !$0.times.isEmpty }
            let first = state.earlier.times.first ?? sections.first?.times.first ?? 0
            let gaps = zip(sections, sections.dropFirst()).map { ($1.times.first ?? 0) - ($0.times.last ?? 0) }
            return (state.filled.last?.times.last ?? first) - first - gaps.reduce(0, +)
        }
    }

    /// Every packet is there; what is left is the container's own work.
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

/// The most that any stretch of a stream takes, wherever it begins, in decoding order. Pure; times in seconds.
struct PeakBitrate: Sendable {
    private let seconds: Double
    private var units: [(time: Double, bits: Int)] = []
    private var sum = 0
    private(set) var bits = 0

    /// - Parameter seconds: how long the stretch is; a unit that is decoded when it ends is outside.
    init(over seconds: Double = 1) {
        // Times are sums of fractions: what is a millionth of a second short of the end is at the end.
        self.seconds = seconds - 1e-6
    }

    mutating func note(byteCount: Int, at time: Double) {
        units.append((time, byteCount * 8))
        sum += byteCount * 8
        let first = units.firstIndex { $0.time > time - seconds } ?? units.count
        sum -= units[..<first].reduce(0) { $0 + $1.bits }
        units.removeFirst(first)
        bits = max(bits, sum)
    }
}

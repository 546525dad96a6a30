import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A picture that two segments decode. In the segment that begins at or just after it, the decoder lacks earlier data
/// and may report false errors; the other segment decides whether the picture is damaged. The raw value is the number
/// of its packet; those of a `RecoveringDecoder` are not negative.
enum SharedPicture: Int {
    case shown = -1
    case judged = -2
}

/// The segments between the demuxer and the lanes: a free lane takes the next one. The demuxer waits while enough
/// segments are open.
struct SegmentQueue: Sendable {
    /// The maximum number of waiting packets of a segment: half a minute at 60 frames per second.
    private static let packetDepth = 2048
    /// The first segment, for the lane whose stages have decoded its first frames.
    private let opening = BoundedQueue<Segment>(capacity: 1)
    /// One waiting segment is enough: all its packets are in memory.
    private let ready = BoundedQueue<Segment>(capacity: 1)
    private let permits: BoundedQueue<Void>
    private let schedule: LaneSchedule.Shared?
    /// The only segment to encode here, counted from 0; nil for all.
    private let only: Int?

    /// - Parameter schedule: Decides which lane takes another segment; nil if every lane does.
    init(_ encoding: VideoEncoding, _ schedule: LaneSchedule? = nil, only: Int? = nil) {
        self.only = only
        let limit = encoding.parallelism * encoding.openSegmentsPerLane
        self.schedule = schedule.map { Locked($0) }
        permits = BoundedQueue(capacity: limit)
        for _ in 0..<limit { close() }
    }

    /// Waits until another segment may be open.
    func open(_ number: Int, from start: Int64? = nil) throws -> Segment {
        let isOwn = only == nil || number == only
        if isOwn { _ = try permits.pop() }
        let segment = Segment(number, from: start, capacity: Self.packetDepth, isOwn: isOwn)
        if isOwn { try (number == only ?? 0 ? opening : ready).push(segment) }
        return segment
    }

    /// Whether this is the only segment to encode here.
    func isOnly(_ number: Int) -> Bool { number == only }

    /// Returns the first segment, for the first lane.
    func first() throws -> Segment? {
        schedule?.withLock { $0.begin(0, at: .now) }
        return try opening.pop()
    }

    /// Returns the next segment in order; nil after the last one, and if the other lanes finish the rest earlier.
    func next(for lane: Int) throws -> Segment? {
        guard schedule?.withLock({ $0.takes(lane, at: .now) }) ?? true else { return nil }
        return try ready.pop()
    }

    /// Notes that a segment has been written.
    func close() { try? permits.push(()) }

    func finish() {
        opening.finish()
        ready.finish()
    }

    func cancel() {
        opening.cancel()
        ready.cancel()
        permits.cancel()
    }
}

/// Passes packets of video to the one or two segments that need them.
///
/// Unchecked: called by the demuxer's thread only.
final class SegmentFeed: UnitConsumer, @unchecked Sendable {
    private let queue: SegmentQueue
    private var cutter: SegmentCutter
    private let randomAccess: RandomAccessCheck
    private var current: Segment?
    /// The maximum number of segments; nil for any number.
    private let limit: Int?
    /// The previous segment while it still needs packets.
    private var previous: Segment?

    init(into queue: SegmentQueue, _ cutter: SegmentCutter, _ randomAccess: RandomAccessCheck, limit: Int? = nil) {
        (self.queue, self.cutter, self.randomAccess, self.limit) = (queue, cutter, randomAccess, limit)
    }

    /// Whether all that follows belongs to segments of other processes.
    var isDone: Bool { isPastOwn && previous == nil }
    private var isPastOwn = false

    func push(_ packet: Packet) throws {
        if current == nil { current = try queue.open(0) }
        // Parameter sets beside the packets are for a decoder that has seen all of them.
        if packet.newExtradata != nil { cutter.end() }
        let placement = cutter.place(PacketTimes(packet)) { randomAccess.allows(packet) }
        if placement.begins { try begin(at: packet.pts) }
        if let limit, let current, current.number + 1 == limit, previous == nil { cutter.end() }
        if placement.isShared { try share(packet, isLeading: placement.isLeading) } else { finishPrevious() }
        try current?.push(packet)
    }

    func finish() throws {
        finishPrevious()
        if current == nil { current = try queue.open(0) }
        current?.packets.finish()
        queue.finish()
    }

    private func begin(at start: Int64?) throws {
        finishPrevious()
        guard let current else { return }
        current.end = start
        previous = current
        isPastOwn = isPastOwn || queue.isOnly(current.number)
        self.current = try queue.open(current.number + 1, from: start)
    }

    private func share(_ packet: Packet, isLeading: Bool) throws {
        let copy = try packet.reference()
        if isLeading {
            packet.isHidden = true
        } else {
            (packet.number, copy.number) = (SharedPicture.shown.rawValue, SharedPicture.judged.rawValue)
        }
        try previous?.push(copy)
    }

    private func finishPrevious() {
        previous?.packets.finish()
        previous = nil
    }
}

/// Determines whether decoding can begin at a packet that its container marks as a key frame. In H.264 some begin a
/// gradual refresh (D.2.8), after which pictures are complete only later.
struct RandomAccessCheck: Sendable {
    private let framing: NALFraming?

    init(_ stream: InputStream) {
        let isH264 = stream.parameters.codecName == VideoCodec.h264.rawValue
        framing = isH264 ? (try? NALFraming(extradata: stream.parameters.extradata, codec: .h264)) : nil
    }

    func allows(_ packet: Packet) -> Bool {
        guard packet.isKeyFrame, !packet.isHidden else { return false }
        guard let framing else { return true }
        let bytes = packet.bytes.bytes
        guard let units = try? framing.units(in: bytes, codec: .h264) else { return false }
        return units.contains { $0.isIDR || $0.isSEI && Self.isRecovered(in: bytes.extracting($0.range)) }
    }

    private static func isRecovered(in unit: RawSpan) -> Bool {
        let messages = (try? SEIMessage.messages(in: unit, codec: .h264)) ?? []
        return messages.contains { $0.recoveryPoint(.h264) == 0 }
    }
}

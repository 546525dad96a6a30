import VTXFFmpeg
import VTXMedia
import VTXSystem

/// The packet queue of an output. Adding never blocks: if the queue is full, the oldest packets are dropped, up to the
/// next key frame, so that the rest can be decoded.
final class CapturePacketQueue: Sendable {
    /// The maximum size of a queue.
    struct Bounds: Sendable, Hashable {
        var bytes: Int
        /// Ticks of `CaptureTimeline.timeBase`.
        var ticks: Int64

        /// Tolerates a disk that is busy for a while.
        static let file = Bounds(bytes: 64 << 20, ticks: 30 * 90_000)
        /// Older packets are useless to viewers.
        static let live = Bounds(bytes: 8 << 20, ticks: 5 * 90_000)
    }

    fileprivate struct State {
        var packets: [CapturePacket] = []
        var byteCount = 0
        var droppedCount = 0
        /// Whether further packets depend on dropped ones.
        var awaitsKeyFrame = false
        var hasEnded = false
    }

    let bounds: Bounds
    private let state = Locked(State())
    /// One element per change, to wake the reader.
    private let changes = BoundedQueue<Void>(capacity: 1)

    init(_ bounds: Bounds) { self.bounds = bounds }

    /// The number of dropped frames.
    var droppedCount: Int { state.withLock { $0.droppedCount } }

    /// The duration of the queued packets.
    var seconds: Double { MediaTime(state.withLock(\.ticks), CaptureTimeline.timeBase).seconds }

    func put(_ packet: CapturePacket) {
        state.withLock { state in
            if packet.isKeyFrame { state.awaitsKeyFrame = false }
            guard !state.hasEnded, !state.awaitsKeyFrame else {
                state.droppedCount += packet.isAudio ? 0 : 1
                return
            }
            state.packets.append(packet)
            state.byteCount += packet.packet.byteCount
            while !state.packets.isEmpty, state.exceeds(bounds) { state.dropOldest() }
        }
        _ = try? changes.pushReplacingOldest(())
    }

    /// Ends the queue; its packets can still be taken.
    func end() {
        state.withLock { $0.hasEnded = true }
        changes.finish()
    }

    /// Waits for a packet; nil at the end.
    func next() -> CapturePacket? {
        while true {
            let (packet, hasEnded) = state.withLock { ($0.takeFirst(), $0.hasEnded) }
            if packet != nil || hasEnded { return packet }
            _ = try? changes.pop()
        }
    }
}

extension CapturePacketQueue.State {
    /// The duration in ticks of `CaptureTimeline.timeBase`.
    fileprivate var ticks: Int64 {
        guard let first = packets.first?.ticks, let last = packets.last?.ticks else { return 0 }
        return last - first
    }

    fileprivate func exceeds(_ bounds: CapturePacketQueue.Bounds) -> Bool {
        byteCount > bounds.bytes || ticks > bounds.ticks
    }

    /// Drops the first packet and those that depend on it.
    fileprivate mutating func dropOldest() {
        let kept = packets.dropFirst().firstIndex(where: \.isKeyFrame) ?? packets.endIndex
        byteCount -= packets[..<kept].reduce(0) { $0 + $1.packet.byteCount }
        droppedCount += packets[..<kept].count { !$0.isAudio }
        packets.removeFirst(kept)
        awaitsKeyFrame = packets.isEmpty
    }

    fileprivate mutating func takeFirst() -> CapturePacket? {
        guard !packets.isEmpty else { return nil }
        let packet = packets.removeFirst()
        byteCount -= packet.packet.byteCount
        return packet
    }
}

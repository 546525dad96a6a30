import CFFmpeg
import CVTXShims
import VTXMedia
import VTXSystem

/// Frames that a decoder did not output although no call failed.
package struct MissingPictures: Sendable, Hashable {
    /// Frames before the first decodable one, as in a recording that starts between two key frames.
    package var leadingCount = 0
    /// Frames for which libavcodec reported an error and that it did not decode.
    package var damagedCount = 0

    package init() {}
}

/// Collects libavcodec's messages for each packet.
///
/// `AVFrame.decode_error_flags` is not reliable: HEVC's decoder never sets it, and with frame threads a frame is output
/// with the flags at that time, while another thread may still be decoding it (in FFmpeg 5.1, they are lost
/// altogether). libavcodec's messages are reliable: those of a packet are complete when its frame is output, because
/// frames are output in the order of the packets.
final class PacketReports: Sendable {
    /// More than the number of packets that a decoder holds: two fields for each frame, plus its threads.
    private static let slotCount = 128

    private let slots = (0..<slotCount).map { _ in Slot() }
    private let state = Locked(State())

    fileprivate struct State {
        var sentCount: Int64 = 0
        var failedCount = 0
        var firstOutput: (number: Int64, pts: Int64?)?
        /// The presentation timestamp of the last key frame sent.
        var keyTime: Int64?
        var propagation = DamagePropagation()
        /// Up to this packet, reports include inherited damage.
        var settledCount: Int64 = 0
        var missing = MissingPictures()
    }

    /// Holds the report of the packet that a thread of libavcodec works on (C: `AVCodecContext.opaque`).
    final class Slot: Sendable {
        fileprivate let report = Locked(Report())

        fileprivate func note(_ event: vtx_decoder_event, _ status: Int32) {
            report.withLock { report in
                switch event {
                case VTX_DECODER_ALLOCATES where status < 0: report.shortage = status
                case VTX_DECODER_ALLOCATES: report.hasPicture = true
                case VTX_DECODER_MISSES_REFERENCE: report.damage.insert(.missingReference)
                default: report.damage.insert(.decoding)
                }
            }
        }
    }

    fileprivate struct Report {
        /// Starts at 1; 0 for none.
        var number: Int64 = 0
        /// The number that the packet's owner has assigned.
        var name: Int?
        var pts: Int64?
        var dependency: PictureDependency?
        /// Whether it is an HEVC frame that is displayed before the key frame that it follows in decoding order. If
        /// decoding began with that key frame, libavcodec silently skips those that refer to earlier frames (RASL).
        var leadsKeyFrame = false
        /// Whether the container marks its frame as not displayed.
        var isDiscarded = false
        var hasPicture = false
        var damage = FrameDamage()
        var isOutput = false
        /// The status if there was no memory for the frame. libavcodec's decoders report it as damaged data, or not at
        /// all.
        var shortage: Int32 = 0
    }
}

extension PacketReports {
    /// Starts collecting. Call it before the decoder is opened.
    func observe(_ context: UnsafeMutablePointer<AVCodecContext>) {
        vtx_log_observe()
        vtx_decoder_observe(context) { opaque, event, status in
            guard let opaque else { return }
            Unmanaged<Slot>.fromOpaque(opaque).takeUnretainedValue().note(event, status)
        }
    }

    /// Call it before sending the packet.
    func begin(_ packet: Packet, in context: UnsafeMutablePointer<AVCodecContext>) {
        let number = state.withLock { state in
            state.sentCount += 1
            return state.sentCount
        }
        settle(upTo: number - Int64(Self.slotCount))
        let slot = slot(number)
        var next = Report(number: number, name: packet.number, pts: packet.pts, dependency: packet.dependency)
        next.leadsKeyFrame = context.pointee.codec_id == AV_CODEC_ID_HEVC && leadsKeyFrame(packet)
        next.isDiscarded = packet.pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0
        let old = slot.report.withLock { report in
            defer { report = next }
            return report
        }
        retire(old)
        context.pointee.opaque = Unmanaged.passUnretained(slot).toOpaque()
        vtx_decoder_set_packet_number(context, packet.pointer, number)
    }

    private func leadsKeyFrame(_ packet: Packet) -> Bool {
        state.withLock { state in
            if packet.isKeyFrame { state.keyTime = packet.pts }
            guard let pts = packet.pts, let keyTime = state.keyTime else { return false }
            return pts < keyTime
        }
    }

    /// Call it when the frame is output.
    ///
    /// - Returns: the number that its packet's owner has assigned, and the frame's damage.
    func end(_ frame: UnsafeMutablePointer<AVFrame>) -> (name: Int?, FrameDamage) {
        let number = vtx_frame_take_packet_number(frame)
        state.withLock { $0.firstOutput = $0.firstOutput ?? (number, timestamp(frame.pointee.pts)) }
        settle(upTo: number)
        let name = slot(number).report.withLock { $0.number == number ? $0.name : nil }
        let damage = takeDamage(number, isField: false)
        guard vtx_frame_is_interlaced(frame) != 0 else { return (name, damage) }
        return (name, damage.union(takeDamage(number + 1, isField: true)))
    }

    /// - Parameter isField: Whether it is for the second field of a frame, which may have its own packet.
    private func takeDamage(_ number: Int64, isField: Bool) -> FrameDamage {
        slot(number).report.withLock { report in
            guard report.number == number, !isField || !report.hasPicture && !report.damage.isEmpty else { return [] }
            report.isOutput = true
            return report.damage
        }
    }

    /// Propagates damage from frame to frame. All packets up to one whose frame has been output have been decoded.
    private func settle(upTo number: Int64) {
        state.withLock { state in
            while state.settledCount < number {
                state.settledCount += 1
                slot(state.settledCount).report.withLock { report in
                    guard report.number == state.settledCount, let dependency = report.dependency else { return }
                    report.damage = state.propagation.next(dependency, report.damage)
                }
            }
        }
    }

    /// Counts a failed call, whose packet is thereby accounted for.
    func noteFailure() { state.withLock { $0.failedCount += 1 } }

    /// Discards errors from the decoder's attempt to use a device, because it continues without one.
    static func forgive(_ context: UnsafePointer<AVCodecContext>) {
        guard let opaque = context.pointee.opaque else { return }
        Unmanaged<Slot>.fromOpaque(opaque).takeUnretainedValue().report.withLock { $0.damage = [] }
    }

    /// Records that there is no memory for the frames of the decoder that requests a format.
    static func noteShortage(_ status: Int32, in context: UnsafePointer<AVCodecContext>) {
        guard let opaque = context.pointee.opaque else { return }
        Unmanaged<Slot>.fromOpaque(opaque).takeUnretainedValue().note(VTX_DECODER_ALLOCATES, status)
    }

    func takeShortage() -> Int32 {
        let sentCount = state.withLock { $0.sentCount }
        return slot(sentCount).report.withLock { report in
            defer { report.shortage = 0 }
            return report.shortage
        }
    }

    /// Call it after the last frame.
    func finish() -> MissingPictures {
        for slot in slots {
            retire(
                slot.report.withLock { report in
                    defer { report = Report() }
                    return report
                })
        }
        return state.withLock { state in
            var missing = state.missing
            missing.damagedCount = max(0, missing.damagedCount - state.failedCount)
            return missing
        }
    }

    /// Call it after a flush: no packet sent before will be output or is missing.
    func reset() {
        for slot in slots { slot.report.withLock { $0 = Report() } }
        state.withLock { $0 = State() }
    }

    private func slot(_ number: Int64) -> Slot { slots[Int(truncatingIfNeeded: number) & (Self.slotCount - 1)] }

    /// Ends the report of a packet.
    private func retire(_ report: Report) {
        guard report.number > 0, !report.isOutput, !report.isDiscarded else { return }
        state.withLock { state in
            if state.isLeading(report) {
                state.missing.leadingCount += 1
            } else if !report.damage.isDisjoint(with: [.decoding, .missingReference]) {
                state.missing.damagedCount += 1
            }
        }
    }
}

extension PacketReports.State {
    /// Whether the frame precedes the first decodable one. Frames before the first key frame precede it in decoding
    /// order, its leading frames in display order only.
    fileprivate func isLeading(_ report: PacketReports.Report) -> Bool {
        if report.leadsKeyFrame, !report.hasPicture, report.damage.isEmpty { return true }
        guard let firstOutput else { return false }
        if report.number < firstOutput.number { return report.hasPicture }
        guard let pts = report.pts, let first = firstOutput.pts else { return false }
        return pts < first
    }
}

import CFFmpeg
import CVTXShims
import VTXMedia
import VTXSystem

/// Pictures that have not come out of a decoder although no call has failed.
package struct MissingPictures: Sendable, Hashable {
    /// They come before the first picture that could be decoded, as where a recording begins between two key frames.
    package var leadingCount = 0
    /// libavcodec has named an error, and decoded nothing.
    package var damagedCount = 0

    package init() {}
}

/// What libavcodec says while it works on each packet.
///
/// `AVFrame.decode_error_flags` are no evidence: HEVC's decoder never sets them, and with frame threads a frame goes out
/// with the flags of the moment when it was chosen, while another thread may still be decoding it (FFmpeg 5.1 has lost
/// them altogether by then). libavcodec's messages are evidence: those of a packet have come when its frame comes out,
/// because results come out in the order of the packets.
final class PacketReports: Sendable {
    /// More packets than a decoder has at one time: two fields for each picture that it may hold, and its threads.
    private static let slotCount = 128

    private let slots = (0..<slotCount).map { _ in Slot() }
    private let state = Locked(State())

    fileprivate struct State {
        var sentCount: Int64 = 0
        var failedCount = 0
        var firstOutput: (number: Int64, pts: Int64?)?
        /// When the last key frame that was sent is shown.
        var keyTime: Int64?
        var propagation = DamagePropagation()
        /// Up to this packet, reports have what their pictures inherit.
        var settledCount: Int64 = 0
        var missing = MissingPictures()
    }

    /// Where libavcodec's threads find the report of their packet (C: `AVCodecContext.opaque`).
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
        /// From 1 on; 0 for none.
        var number: Int64 = 0
        /// What the packet's owner calls it.
        var name: Int?
        var pts: Int64?
        var dependency: PictureDependency?
        /// A picture of HEVC that is shown before the key frame that it follows in decoding order. libavcodec skips such as
        /// refer to what was before that key frame (RASL), where decoding began with it, and says nothing.
        var leadsKeyFrame = false
        /// The container says that its frame is not to be shown.
        var isDiscarded = false
        var hasPicture = false
        var damage = FrameDamage()
        var isOutput = false
        /// Why there was no memory for the picture. libavcodec's decoders make damaged data of that, or say nothing.
        var shortage: Int32 = 0
    }
}

extension PacketReports {
    /// Before the decoder is opened.
    func observe(_ context: UnsafeMutablePointer<AVCodecContext>) {
        vtx_log_observe()
        vtx_decoder_observe(context) { opaque, event, status in
            guard let opaque else { return }
            Unmanaged<Slot>.fromOpaque(opaque).takeUnretainedValue().note(event, status)
        }
    }

    /// The packet is sent next.
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

    /// The frame comes out.
    ///
    /// - Returns: what its packet's owner calls that, and what is wrong with the frame.
    func end(_ frame: UnsafeMutablePointer<AVFrame>) -> (name: Int?, FrameDamage) {
        let number = vtx_frame_take_packet_number(frame)
        state.withLock { $0.firstOutput = $0.firstOutput ?? (number, timestamp(frame.pointee.pts)) }
        settle(upTo: number)
        let name = slot(number).report.withLock { $0.number == number ? $0.name : nil }
        let damage = takeDamage(number, isField: false)
        guard vtx_frame_is_interlaced(frame) != 0 else { return (name, damage) }
        return (name, damage.union(takeDamage(number + 1, isField: true)))
    }

    /// - Parameter isField: of the second field of a picture, which may have a packet of its own.
    private func takeDamage(_ number: Int64, isField: Bool) -> FrameDamage {
        slot(number).report.withLock { report in
            guard report.number == number, !isField || !report.hasPicture && !report.damage.isEmpty else { return [] }
            report.isOutput = true
            return report.damage
        }
    }

    /// Damage goes from picture to picture. The packets up to one whose frame has come out have been decoded.
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

    /// A call has failed: what becomes of its packet is known.
    func noteFailure() { state.withLock { $0.failedCount += 1 } }

    /// Errors that came while the decoder looked for a device do not count: it goes on without.
    static func forgive(_ context: UnsafePointer<AVCodecContext>) {
        guard let opaque = context.pointee.opaque else { return }
        Unmanaged<Slot>.fromOpaque(opaque).takeUnretainedValue().report.withLock { $0.damage = [] }
    }

    /// There is no memory for the pictures of the decoder that asks for a format.
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

    /// Nothing more comes out.
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

    /// The decoder has been flushed: nothing that was sent comes out, or is missing.
    func reset() {
        for slot in slots { slot.report.withLock { $0 = Report() } }
        state.withLock { $0 = State() }
    }

    private func slot(_ number: Int64) -> Slot { slots[Int(truncatingIfNeeded: number) & (Self.slotCount - 1)] }

    /// Nothing more is said of the packet.
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
    /// Pictures that precede the first key frame come before it in decoding order, those that lead it in the order of
    /// time only.
    fileprivate func isLeading(_ report: PacketReports.Report) -> Bool {
        if report.leadsKeyFrame, !report.hasPicture, report.damage.isEmpty { return true }
        guard let firstOutput else { return false }
        if report.number < firstOutput.number { return report.hasPicture }
        guard let pts = report.pts, let first = firstOutput.pts else { return false }
        return pts < first
    }
}

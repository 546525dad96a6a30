import CFFmpeg
import CVTXShims
import VTXMedia

/// Turns packets of one stream into frames (C: `AVCodecContext`, opened with a decoder).
///
/// Protocol: receive until `.needsInput` before the next `send`. Unchecked: one thread at a time calls it.
package final class DecoderContext: @unchecked Sendable {
    private let owner: CodecContext
    private let timeBase: Rational
    private var spare = SpareUnit<Frame>()
    private let reports = PacketReports()
    private var context: UnsafeMutablePointer<AVCodecContext> { owner.pointer }

    /// - Parameters:
    ///   - threads: 0 lets libavcodec choose by the number of cores.
    ///   - reorderDepth: frames to hold back for their order, where the stream does not say more.
    package convenience init(
        _ stream: InputStream, threads: Int = 0, reorderDepth: Int = 0
    ) throws(FFmpegError) {
        try self.init(stream, onGPU: false, reorderDepth) { context in context.pointee.thread_count = Int32(threads) }
    }

    /// A decoder whose frames lie on surfaces of the device. Pictures that the device cannot decode come in memory.
    ///
    /// - Parameters:
    ///   - reorderDepth: as for software.
    ///   - allowsOtherProfile: the device may decode with another profile's configuration, whose tools are enough for
    ///     the stream (C: `AV_HWACCEL_FLAG_ALLOW_PROFILE_MISMATCH`).
    package convenience init(
        _ stream: InputStream, on device: HardwareDevice, reorderDepth: Int = 0, allowsOtherProfile: Bool = false
    ) throws(FFmpegError) {
        try self.init(stream, onGPU: true, reorderDepth) { context in
            if allowsOtherProfile { context.pointee.hwaccel_flags |= AV_HWACCEL_FLAG_ALLOW_PROFILE_MISMATCH }
            context.pointee.hw_device_ctx = av_buffer_ref(device.reference)
            context.pointee.get_format = { preferSurfaces($0, $1) }
            // The GPU works on one picture at a time; more threads would only hold more surfaces.
            context.pointee.thread_count = 1
        }
    }

    private init(
        _ stream: InputStream, onGPU: Bool, _ reorderDepth: Int,
        configure: (UnsafeMutablePointer<AVCodecContext>) -> Void
    ) throws(FFmpegError) {
        timeBase = stream.timeBase
        owner = try CodecContext(decoding: stream, onGPU: onGPU)
        context.pointee.framerate = stream.averageFrameRate.avRational
        // A header may claim any size; this bounds what is allocated for it (16384 x 16384).
        context.pointee.max_pixels = 1 << 28
        // libavcodec would round what is cropped at the left down to its own alignment.
        context.pointee.flags |= AV_CODEC_FLAG_UNALIGNED
        expectReordering(of: reorderDepth)
        reports.observe(context)
        owner.companion = reports
        configure(context)
        try owner.open()
    }

    /// Holds back at least `depth` frames for their order from now on. With more than one thread it has to be called before
    /// the first packet.
    package func expectReordering(of depth: Int) {
        context.pointee.has_b_frames = max(context.pointee.has_b_frames, Int32(clamping: depth))
    }

    /// - Parameter packet: nil when there are no more: the decoder then gives out what it holds back.
    package func send(_ packet: Packet?) throws(FFmpegError) {
        if let packet { reports.begin(packet, in: context) }
        let status = avcodec_send_packet(context, packet?.pointer)
        try checkShortage()
        // Draining a drained decoder is no error.
        if packet == nil && status == vtx_error_end_of_file { return }
        try checkResult(status, "avcodec_send_packet")
    }

    package func receive() throws(FFmpegError) -> CodecOutput<Frame> {
        let frame = try spare.get { () throws(FFmpegError) in try Frame(timeBase: timeBase) }
        let status = avcodec_receive_frame(context, frame.pointer)
        // A frame that is there goes out first.
        if status < 0 { try checkShortage() }
        switch status {
        case vtx_error_again: return .needsInput
        case vtx_error_end_of_file: return .endOfStream
        default: try checkResult(status, "avcodec_receive_frame")
        }
        spare.giveAway()
        (frame.packetNumber, frame.damage) = reports.end(frame.pointer)
        frame.pts = frame.bestEffortTimestamp
        return .unit(frame)
    }

    /// Drops what it holds back, and begins again, also after the end (C: `avcodec_flush_buffers`).
    package func reset() {
        avcodec_flush_buffers(context)
        reports.reset()
    }

    /// After `.endOfStream`.
    package func missingPictures() -> MissingPictures { reports.finish() }

    private func checkResult(_ status: Int32, _ call: StaticString) throws(FFmpegError) {
        if status < 0 { reports.noteFailure() }
        try check(status, call)
    }

    /// A picture for which there was no surface costs more than itself.
    private func checkShortage() throws(FFmpegError) {
        guard context.pointee.hw_device_ctx != nil else { return }
        let status = reports.takeShortage()
        if status < 0 { throw FFmpegError("av_hwframe_get_buffer", status) }
    }
}

/// What a coded picture needs of others, as its headers say.
package struct PictureDependency: Sendable, Hashable {
    /// No slice refers to another picture.
    package var isIntra = false
    /// Others may refer to it.
    package var isReference = true
    /// How many reference pictures after this one all is right again, whatever was before: 0 for an IDR or IRAP picture;
    /// nil where nothing says so (`recovery_frame_cnt`, H.264 D.2.8).
    package var recoveryCount: Int?
    /// Shown before the random access point that it follows in decoding order; it may refer to pictures before that.
    package var isLeading = false
    /// Reference pictures before this one are missing in the stream (H.264 7.4.3, `frame_num`).
    package var hasGap = false

    package init() {}
}

/// How a frame was decoded.
package struct FrameDamage: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// libavcodec named an error, or guessed a part of the picture.
    package static let decoding = FrameDamage(rawValue: 1)
    /// A picture that it refers to is not there.
    package static let missingReference = FrameDamage(rawValue: 2)
    /// It refers to damaged pictures, or may do so.
    package static let inherited = FrameDamage(rawValue: 4)
}

/// Which pictures inherit the damage of others. Pure; pictures in decoding order.
///
/// Which pictures a block refers to is known to the decoder alone. From a damaged reference picture to the next random
/// access point, all pictures but intra pictures count as damaged: in nearly all streams each picture refers to the ones
/// before it.
package struct DamagePropagation: Sendable {
    private var isTainted = false
    /// What was before the last random access point.
    private var wasTainted = false
    /// Reference pictures until a recovery point is reached.
    private var recoveryCount: Int?

    package init() {}

    /// - Returns: the picture's damage, and what it inherits.
    package mutating func next(_ picture: PictureDependency, _ damage: FrameDamage) -> FrameDamage {
        if picture.hasGap { (isTainted, recoveryCount) = (true, nil) }
        noteRecovery(of: picture)
        var result = damage
        let inherits = picture.isLeading ? wasTainted : isTainted
        if inherits, !picture.isIntra { result.insert(picture.hasGap ? .missingReference : .inherited) }
        if result.taints(asReference: picture.isReference) { taint(picture, isNew: !damage.isEmpty) }
        return result
    }

    private mutating func taint(_ picture: PictureDependency, isNew: Bool) {
        if picture.isLeading { return wasTainted = true }
        isTainted = true
        if isNew { recoveryCount = nil }
    }

    private mutating func noteRecovery(of picture: PictureDependency) {
        if picture.recoveryCount == 0 {
            (wasTainted, isTainted, recoveryCount) = (isTainted, false, nil)
        } else if let count = picture.recoveryCount, isTainted {
            recoveryCount = count
        } else if picture.isReference, let count = recoveryCount {
            recoveryCount = count > 1 ? count - 1 : nil
            if count <= 1 { isTainted = false }
        }
    }
}

extension FrameDamage {
    /// Whether it goes on to other pictures. What libavcodec puts in the place of a picture that is missing stays there for
    /// those that follow.
    fileprivate func taints(asReference isReference: Bool) -> Bool {
        contains(.missingReference) || isReference && !isEmpty
    }
}

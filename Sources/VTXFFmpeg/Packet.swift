import CFFmpeg
import Glibc
package import VTXMedia
package import VTXSystem

/// Coded data of one stream: a reference to a reference-counted buffer, with timestamps (C: `AVPacket`).
///
/// Unchecked: a packet is passed on; a stage does not access a packet after passing it on. One that several owners share,
/// as the library's samples do, is only read.
package final class Packet: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>
    /// The time base of `pts`, `dts` and `duration`.
    package private(set) var timeBase: Rational
    /// The dependencies of its frame; nil if its headers have not been parsed.
    package var dependency: PictureDependency?
    /// A number that the decoder passes on to the packet's frame, to identify frames without timestamps.
    package var number: Int?

    init(timeBase: Rational) throws(FFmpegError) {
        pointer = try require(av_packet_alloc(), "av_packet_alloc")
        self.timeBase = timeBase
    }

    deinit {
        var pointer: UnsafeMutablePointer<AVPacket>? = pointer
        av_packet_free(&pointer)
    }

    /// Creates a packet with a copy of these bytes.
    package convenience init(
        bytes: [UInt8], pts: Int64?, dts: Int64?, duration: Int64, timeBase: Rational, isKeyFrame: Bool = true
    ) throws(FFmpegError) {
        try self.init(timeBase: timeBase)
        try check(av_new_packet(pointer, Int32(bytes.count)), "av_new_packet")
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: pointer.pointee.data, count: bytes.count).copyMemory(from: source)
        }
        pointer.pointee.pts = rawTimestamp(pts)
        pointer.pointee.dts = rawTimestamp(dts)
        pointer.pointee.duration = duration
        if isKeyFrame { pointer.pointee.flags |= AV_PKT_FLAG_KEY }
    }

    /// Creates a packet that refers to the bytes of a buffer, without a copy (C: `av_buffer_create`).
    package convenience init(
        sharing buffer: PaddedBuffer, pts: Int64?, duration: Int64, timeBase: Rational
    ) throws(FFmpegError) {
        try self.init(timeBase: timeBase)
        let owner = Unmanaged.passRetained(buffer)
        let bytes = UnsafeMutableRawPointer(mutating: buffer.bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
        let size = buffer.count + PaddedBuffer.paddingByteCount
        let release: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?) -> Void = { owner, _ in
            owner.map { Unmanaged<PaddedBuffer>.fromOpaque($0).release() }
        }
        guard let reference = av_buffer_create(bytes, size, release, owner.toOpaque(), Int32(AV_BUFFER_FLAG_READONLY))
        else {
            owner.release()
            throw .outOfMemory("av_buffer_create")
        }
        (pointer.pointee.buf, pointer.pointee.data, pointer.pointee.size) = (reference, bytes, Int32(buffer.count))
        pointer.pointee.pts = rawTimestamp(pts)
        pointer.pointee.duration = duration
    }

    /// Creates a packet with a copy of a buffer.
    package convenience init(
        copying bytes: RawSpan, pts: Int64?, dts: Int64?, duration: Int64, timeBase: Rational
    ) throws(FFmpegError) {
        try self.init(
            bytes: bytes.withUnsafeBytes { Array($0) }, pts: pts, dts: dts, duration: duration, timeBase: timeBase)
    }

    /// Returns a copy of the packet with other bytes.
    package func replacing(bytes: [UInt8]) throws(FFmpegError) -> Packet {
        let copy = try Packet(
            bytes: bytes, pts: nil, dts: nil, duration: 0, timeBase: timeBase, isKeyFrame: isKeyFrame)
        try check(av_packet_copy_props(copy.pointer, pointer), "av_packet_copy_props")
        return copy
    }

    /// Returns another reference to the same bytes, with independent timestamps.
    package func reference() throws(FFmpegError) -> Packet {
        let copy = try Packet(timeBase: timeBase)
        try check(av_packet_ref(copy.pointer, pointer), "av_packet_ref")
        (copy.dependency, copy.number) = (dependency, number)
        return copy
    }
}

extension Packet {
    /// Returns a packet that refers to a range of the same bytes, without timestamps and side data.
    package func bytesOnly(_ range: Range<Int>, _ timeBase: Rational) throws(FFmpegError) -> Packet {
        let copy = try Packet(timeBase: timeBase)
        guard let buffer = pointer.pointee.buf else { throw .outOfMemory("av_buffer_ref") }
        copy.pointer.pointee.buf = try require(av_buffer_ref(buffer), "av_buffer_ref")
        copy.pointer.pointee.data = pointer.pointee.data + range.lowerBound
        copy.pointer.pointee.size = Int32(range.count)
        return copy
    }

    package var streamIndex: Int {
        get { Int(pointer.pointee.stream_index) }
        set { pointer.pointee.stream_index = Int32(newValue) }
    }

    package var pts: Int64? {
        get { timestamp(pointer.pointee.pts) }
        set { pointer.pointee.pts = rawTimestamp(newValue) }
    }

    package var dts: Int64? {
        get { timestamp(pointer.pointee.dts) }
        set { pointer.pointee.dts = rawTimestamp(newValue) }
    }

    /// 0 if unknown.
    package var duration: Int64 {
        get { VTXFFmpeg.duration(pointer.pointee.duration) }
        set { pointer.pointee.duration = newValue }
    }

    package var byteCount: Int { Int(pointer.pointee.size) }
    /// C: `AV_PKT_FLAG_*`.
    package var flags: UInt16 {
        get { UInt16(truncatingIfNeeded: pointer.pointee.flags) }
        set { pointer.pointee.flags = Int32(newValue) }
    }
    package var isKeyFrame: Bool {
        get { pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
        set { pointer.pointee.flags = (pointer.pointee.flags & ~AV_PKT_FLAG_KEY) | (newValue ? AV_PKT_FLAG_KEY : 0) }
    }
    /// Whether the container marks the bytes as damaged.
    package var isCorrupt: Bool { pointer.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 }

    /// Whether the bytes are encrypted without an available key (C: `AV_PKT_DATA_ENCRYPTION_INFO`).
    package var isEncrypted: Bool {
        av_packet_get_side_data(pointer, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil
    }

    /// Whether the packet is decoded but not displayed, for example because of an edit list (C: `AV_PKT_FLAG_DISCARD`).
    package var isHidden: Bool {
        get { pointer.pointee.flags & AV_PKT_FLAG_DISCARD != 0 }
        set {
            let others = pointer.pointee.flags & ~AV_PKT_FLAG_DISCARD
            pointer.pointee.flags = others | (newValue ? AV_PKT_FLAG_DISCARD : 0)
        }
    }

    /// The byte offset in the file; nil if unknown.
    package var position: Int64? { pointer.pointee.pos >= 0 ? pointer.pointee.pos : nil }

    /// The stream's new extradata from this packet on, if it changes (C: `AV_PKT_DATA_NEW_EXTRADATA`).
    package var newExtradata: [UInt8]? {
        var size = 0
        guard let data = av_packet_get_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, &size) else { return nil }
        return Array(UnsafeBufferPointer(start: data, count: size))
    }

    /// Where a cue of WebVTT is shown, `line:10% align:start` (C: `AV_PKT_DATA_WEBVTT_SETTINGS`); nil where unspecified.
    package var cueSettings: String? {
        var size = 0
        guard let data = av_packet_get_side_data(pointer, AV_PKT_DATA_WEBVTT_SETTINGS, &size) else { return nil }
        let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    package func setNewExtradata(_ bytes: [UInt8]) throws(FFmpegError) {
        guard let data = av_packet_new_side_data(pointer, AV_PKT_DATA_NEW_EXTRADATA, bytes.count) else {
            throw .outOfMemory("av_packet_new_side_data")
        }
        UnsafeMutableRawBufferPointer(start: data, count: bytes.count).copyBytes(from: bytes)
    }

    package var presentationTime: MediaTime? { pts.map { MediaTime($0, timeBase) } }
    package var decodingTime: MediaTime? { dts.map { MediaTime($0, timeBase) } }

    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: pointer.pointee.data, count: byteCount)
    }

    package func hasBytes(of other: Packet) -> Bool {
        guard byteCount == other.byteCount, let own = bytes.baseAddress, let others = other.bytes.baseAddress else {
            return false
        }
        return memcmp(own, others, byteCount) == 0
    }

    /// Shifts both timestamps. A timestamp that would leave the valid range is removed.
    package func shift(by ticks: Int64) {
        pts = pts.map { $0.addingReportingOverflow(ticks) }.flatMap { $0.overflow ? nil : $0.partialValue }
        dts = dts.map { $0.addingReportingOverflow(ticks) }.flatMap { $0.overflow ? nil : $0.partialValue }
    }

    /// Converts the timestamps to another time base.
    package func rescale(to other: Rational) {
        av_packet_rescale_ts(pointer, timeBase.avRational, other.avRational)
        timeBase = other
    }

    /// Sets the time base without changing the timestamps.
    func declare(timeBase: Rational) { self.timeBase = timeBase }
}

extension PacketTimes {
    package init(_ packet: Packet) {
        self.init(pts: packet.pts, dts: packet.dts, duration: packet.duration, isHidden: packet.isHidden)
    }
}

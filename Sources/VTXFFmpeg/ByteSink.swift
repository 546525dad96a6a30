import CFFmpeg
import CVTXShims
import Glibc
package import VTXSystem

/// Takes bytes in order, as a pipe does.
package protocol ByteSink: AnyObject, Sendable {
    /// Writes everything; waits where there is no room.
    func write(_ bytes: RawSpan) throws(SystemError)
}

/// What libavformat writes such bytes through (C: `AVIOContext`). Nothing can be sought in it.
///
/// Unchecked: it belongs to one muxer, and so to the one thread that writes.
final class ByteSinkContext: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Retained here for the callback, which gets a bare pointer to it.
    private let box: Box

    private final class Box {
        let sink: any ByteSink
        init(_ sink: any ByteSink) { self.sink = sink }
    }

    init(_ sink: any ByteSink) throws(FFmpegError) {
        box = Box(sink)
        let opaque = Unmanaged.passUnretained(box).toOpaque()
        guard let made = vtx_byte_sink_context(Self.bufferSize, opaque, Self.write) else {
            throw FFmpegError("avio_alloc_context", -ENOMEM)
        }
        pointer = made
    }

    deinit {
        av_free(pointer.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = pointer
        avio_context_free(&pointer)
    }

    private static let bufferSize: Int32 = 1 << 16

    private static let write: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int32) -> Int32 = {
        opaque, bytes, count in
        guard let opaque, let bytes, count >= 0 else { return vtx_error_external }
        let box = Unmanaged<Box>.fromOpaque(opaque).takeUnretainedValue()
        let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(count))
        do throws(SystemError) {
            try box.sink.write(RawSpan(_unsafeBytes: buffer))
            return count
        } catch {
            return vtx_error_from_errno(error.code)
        }
    }
}

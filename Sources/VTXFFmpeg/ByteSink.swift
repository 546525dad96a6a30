import CFFmpeg
import CVTXShims
import Glibc
package import VTXSystem

/// Takes bytes in order. One thread at a time calls it.
package protocol ByteSink: AnyObject, Sendable {
    func write(_ bytes: RawSpan) throws(SystemError)
}

/// What libavformat writes such bytes through (C: `AVIOContext`).
///
/// Unchecked: it belongs to one muxer, and so to one thread at a time.
final class ByteSinkContext: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Retained here for the callback, which gets a bare pointer to it.
    private let box: Box

    private final class Box {
        let bytes: any ByteSink
        init(_ bytes: any ByteSink) { self.bytes = bytes }
    }

    init(_ bytes: any ByteSink) throws(FFmpegError) {
        box = Box(bytes)
        guard let buffer = av_malloc(Self.bufferSize) else { throw FFmpegError("av_malloc", -ENOMEM) }
        // The bytes' type depends on libavformat's version: the closure takes both.
        let allocated = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 1,
            Unmanaged.passUnretained(box).toOpaque(), nil,
            { opaque, bytes, count in
                ByteSinkContext.write(opaque, UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            },
            nil)
        guard let allocated else {
            av_free(buffer)
            throw FFmpegError("avio_alloc_context", -ENOMEM)
        }
        pointer = allocated
    }

    deinit {
        av_free(pointer.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = pointer
        avio_context_free(&pointer)
    }

    private static let bufferSize = 1 << 16

    private static func write(_ opaque: UnsafeMutableRawPointer?, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let opaque else { return vtx_error_external }
        let box = Unmanaged<Box>.fromOpaque(opaque).takeUnretainedValue()
        do throws(SystemError) {
            try box.bytes.write(bytes.bytes)
            return Int32(bytes.count)
        } catch {
            return vtx_error_from_errno(error.code)
        }
    }
}

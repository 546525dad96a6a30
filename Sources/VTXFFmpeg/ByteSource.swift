import CFFmpeg
import CVTXShims
package import VTXSystem

/// Bytes in order, as a pipe gives them.
package protocol ByteSource: AnyObject, Sendable {
    /// Fills the buffer from its beginning, as far as there is something at hand; waits where there is nothing.
    ///
    /// - Returns: how many bytes; 0 at the end.
    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int
}

/// What libavformat reads such bytes through (C: `AVIOContext`).
///
/// Unchecked: it belongs to one demuxer, and so to the one thread that reads.
final class ByteSourceContext: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Retained here for the callback, which gets a bare pointer to it.
    private let box: Box

    private final class Box {
        let bytes: any ByteSource
        init(_ bytes: any ByteSource) { self.bytes = bytes }
    }

    init(_ bytes: any ByteSource) throws(FFmpegError) {
        box = Box(bytes)
        guard let buffer = av_malloc(Self.bufferSize) else { throw FFmpegError("av_malloc", -ENOMEM) }
        let allocated = avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferSize), 0,
            Unmanaged.passUnretained(box).toOpaque(), Self.read, nil, nil)
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

    private static let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
        opaque, buffer, count in
        guard let opaque, let buffer, count > 0 else { return vtx_error_external }
        let box = Unmanaged<Box>.fromOpaque(opaque).takeUnretainedValue()
        var target = MutableRawSpan(
            _unsafeBytes: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
        do throws(SystemError) {
            let read = try box.bytes.read(into: &target)
            return read > 0 ? Int32(read) : vtx_error_end_of_file
        } catch {
            return vtx_error_from_errno(error.code)
        }
    }
}

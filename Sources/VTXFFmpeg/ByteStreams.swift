import CFFmpeg
import CVTXShims
import Glibc
package import VTXSystem

/// A sequential source of bytes, such as a pipe.
package protocol ByteSource: AnyObject, Sendable {
    /// Reads the bytes that are available into the beginning of the buffer, and waits if there are none.
    ///
    /// - Returns: the number of bytes; 0 at the end.
    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int
}

/// A sequential destination for bytes, such as a pipe.
package protocol ByteSink: AnyObject, Sendable {
    /// Writes all bytes, waiting while there is no room.
    func write(_ bytes: RawSpan) throws(SystemError)
}

extension PipeEnd: ByteSink {}

/// The I/O context through which libavformat reads or writes such bytes (C: `AVIOContext`). It is not seekable.
///
/// Unchecked: it belongs to one demuxer or muxer, and so to one thread.
final class ByteStreamContext: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVIOContext>
    /// Retained here for the callback, which gets a bare pointer to it.
    private let box: AnyObject

    private final class Box<Bytes> {
        let bytes: Bytes
        init(_ bytes: Bytes) { self.bytes = bytes }
    }

    convenience init(reading source: any ByteSource) throws(FFmpegError) {
        let box = Box(source)
        try self.init(box, vtx_byte_stream_context(Self.bufferSize, Self.opaque(box), Self.read, nil))
    }

    convenience init(writing sink: any ByteSink) throws(FFmpegError) {
        let box = Box(sink)
        try self.init(box, vtx_byte_stream_context(Self.bufferSize, Self.opaque(box), nil, Self.write))
    }

    private init(_ box: AnyObject, _ made: UnsafeMutablePointer<AVIOContext>?) throws(FFmpegError) {
        guard let made else { throw FFmpegError("avio_alloc_context", -ENOMEM) }
        (self.box, pointer) = (box, made)
    }

    deinit {
        av_free(pointer.pointee.buffer)
        var pointer: UnsafeMutablePointer<AVIOContext>? = pointer
        avio_context_free(&pointer)
    }

    private static let bufferSize: Int32 = 1 << 16

    private static func opaque(_ box: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(box).toOpaque()
    }

    private static let read: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32 = {
        opaque, buffer, count in
        guard let opaque, let buffer, count > 0 else { return vtx_error_external }
        let box = Unmanaged<Box<any ByteSource>>.fromOpaque(opaque).takeUnretainedValue()
        var target = MutableRawSpan(_unsafeBytes: UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)))
        do throws(SystemError) {
            let read = try box.bytes.read(into: &target)
            return read > 0 ? Int32(read) : vtx_error_end_of_file
        } catch {
            return vtx_error_from_errno(error.code)
        }
    }

    private static let write: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<UInt8>?, Int32) -> Int32 = {
        opaque, bytes, count in
        guard let opaque, let bytes, count >= 0 else { return vtx_error_external }
        let box = Unmanaged<Box<any ByteSink>>.fromOpaque(opaque).takeUnretainedValue()
        do throws(SystemError) {
            try box.bytes.write(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: bytes, count: Int(count))))
            return count
        } catch {
            return vtx_error_from_errno(error.code)
        }
    }
}

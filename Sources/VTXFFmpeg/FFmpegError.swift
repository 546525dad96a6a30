import CFFmpeg
import CVTXShims
import Glibc

/// A failed call into libav*, with its status.
package struct FFmpegError: Error, Sendable, Hashable {
    /// The C function.
    package var call: String
    /// Its negative return value, an `AVERROR`.
    package var status: Int32

    package init(_ call: String, _ status: Int32) {
        self.call = call
        self.status = status
    }

    static func outOfMemory(_ call: String) -> FFmpegError { FFmpegError(call, -ENOMEM) }

    package enum Kind: Sendable, Hashable {
        case invalidData
        case noSpace
        case permission
        case notFound
        /// Out of memory or threads.
        case outOfResources
        case noDecoder
        case noEncoder
        case notSupported
        case other
    }

    package var kind: Kind {
        switch status {
        case vtx_error_invalid_data: .invalidData
        case -ENOSPC, -EDQUOT, -EFBIG: .noSpace
        case -EACCES, -EPERM, -EROFS: .permission
        case -ENOENT, -ENOTDIR: .notFound
        case -ENOMEM: .outOfResources
        // The status of pthread_create; from calls that send and receive it is no error.
        case -EAGAIN where call == "avcodec_open2": .outOfResources
        case vtx_error_decoder_not_found: .noDecoder
        case vtx_error_encoder_not_found: .noEncoder
        case vtx_error_patch_welcome, -ENOSYS, -ENOTSUP: .notSupported
        default: .other
        }
    }

    /// Whether the passed bytes or timestamps caused the error, rather than the file or the machine.
    package var isAboutData: Bool {
        kind == .invalidData || status == -EINVAL || status == vtx_error_patch_welcome
    }

    /// libavutil's or the system's description of the status.
    package var reason: String {
        var text = [CChar](repeating: 0, count: 256)
        av_strerror(status, &text, text.count)
        return String(nullTerminated: text)
    }
}

extension FFmpegError: CustomStringConvertible {
    package var description: String { "\(reason) (\(call))" }
}

/// Converts a libav* status to an error. The only place that does.
@discardableResult
func check(_ status: Int32, _ call: StaticString) throws(FFmpegError) -> Int32 {
    if status < 0 { throw FFmpegError("\(call)", status) }
    return status
}

/// Unwraps the result of an allocation function.
func require<Pointee>(
    _ pointer: UnsafeMutablePointer<Pointee>?, _ call: StaticString
) throws(FFmpegError) -> UnsafeMutablePointer<Pointee> {
    guard let pointer else { throw FFmpegError("\(call)", -ENOMEM) }
    return pointer
}

extension String {
    /// Decodes a C buffer up to its terminating zero. Bytes that are not UTF-8 become U+FFFD.
    init(nullTerminated buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates a string from a C string that may be NULL.
    init?(optional pointer: UnsafePointer<CChar>?) {
        guard let pointer else { return nil }
        self.init(cString: pointer)
    }
}

import CFFmpeg
import CVTXShims

/// A GPU as libavutil knows it (C: `AVHWDeviceContext`), on a VA display that is already open.
///
/// Unchecked: nothing changes it after `init`, and libavutil counts the references under a lock.
package final class HardwareDevice: @unchecked Sendable {
    let reference: UnsafeMutablePointer<AVBufferRef>

    /// - Parameters:
    ///   - vaDisplay: a `VADisplay`.
    ///   - owner: what keeps the display open; it is held until the last surface of the device is gone, which may be
    ///     long after this object.
    package init(vaDisplay: UnsafeMutableRawPointer, ownedBy owner: AnyObject) throws(FFmpegError) {
        var device: UnsafeMutablePointer<AVBufferRef>?
        let status = vtx_vaapi_device(&device, vaDisplay, Unmanaged.passRetained(owner).toOpaque()) { owner in
            if let owner { Unmanaged<AnyObject>.fromOpaque(owner).release() }
        }
        try check(status, "av_hwdevice_ctx_init")
        reference = try require(device, "av_hwdevice_ctx_alloc")
    }

    deinit {
        var reference: UnsafeMutablePointer<AVBufferRef>? = reference
        av_buffer_unref(&reference)
    }
}

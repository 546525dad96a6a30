import CFFmpeg
package import VTXMedia

/// Pictures of one size and format in memory that is used again (C: `AVBufferPool`). It grows as pictures are taken;
/// one that is let go comes back.
///
/// Unchecked: nothing changes it after `init`, and libavutil's pools lock.
package final class PicturePool: @unchecked Sendable {
    package let size: PixelSize
    package let pixelFormat: PixelFormat
    private let pool: OpaquePointer

    package init(size: PixelSize, pixelFormat: PixelFormat) throws(FFmpegError) {
        (self.size, self.pixelFormat) = (size, pixelFormat)
        let (format, width, height) = (pixelFormat.avFormat, Int32(clamping: size.width), Int32(clamping: size.height))
        let byteCount = try check(av_image_get_buffer_size(format, width, height, 64), "av_image_get_buffer_size")
        // Encoders read a vector beyond the end.
        guard let pool = av_buffer_pool_init(Int(byteCount) + 64, nil) else {
            throw FFmpegError.outOfMemory("av_buffer_pool_init")
        }
        self.pool = pool
    }

    deinit {
        var pool: OpaquePointer? = pool
        av_buffer_pool_uninit(&pool)
    }

    /// A picture that holds anything.
    package func makeFrame() throws(FFmpegError) -> Frame {
        let frame = try Frame(empty: size, pixelFormat)
        let buffer = try require(av_buffer_pool_get(pool), "av_buffer_pool_get")
        frame.pointer.pointee.buf.0 = buffer
        try check(
            withUnsafeMutablePointer(to: &frame.pointer.pointee.data) { data in
                data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: 8) { planes in
                    withUnsafeMutablePointer(to: &frame.pointer.pointee.linesize) { lines in
                        lines.withMemoryRebound(to: Int32.self, capacity: 8) {
                            av_image_fill_arrays(
                                planes, $0, buffer.pointee.data, pixelFormat.avFormat, Int32(size.width),
                                Int32(size.height), 64)
                        }
                    }
                }
            }, "av_image_fill_arrays")
        return frame
    }
}

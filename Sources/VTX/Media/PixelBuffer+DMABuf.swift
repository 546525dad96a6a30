import VTXFFmpeg
public import VTXMedia
import VTXSession
import VTXSystem

extension PixelBuffer {
    /// Takes a picture that lies in DMA-BUFs: a camera's buffer, a compositor's surface (CoreVideo:
    /// `CVPixelBufferCreateWithIOSurface`).
    ///
    /// A ``CompressionSession`` on a GPU that takes such memory encodes NV12 and P010 from where they are. Elsewhere, and for
    /// other formats, the samples are copied once, where they are ``DMABufLayout/linear``.
    ///
    /// The picture has to be whole: only what the kernel's drivers wait for by themselves is waited for. It must not be
    /// written to until `onRelease` is called.
    ///
    /// - Parameters:
    ///   - layout: where the picture lies. Its descriptors are duplicated: the caller may close them.
    ///   - size: in pixels, each side 1 to 16384.
    ///   - format: one of ``formats`` for which the kernel has a name; `PixelFormat(drmFormat:)` reads that.
    ///   - color: what the samples mean; the encoder writes it into the stream.
    ///   - onRelease: is called when neither a session nor a program refers to the picture any more, on any thread.
    ///     A camera gets its buffer back here (`VIDIOC_QBUF`).
    /// - Throws: ``SessionError``: `badParameter` for planes that do not lie in the memory, `unsupportedFormat` for tiles
    ///   (``DMABufLayout/Object/modifier``) and other formats, `allocationFailed`. `onRelease` is not called then.
    public convenience init(
        _ layout: DMABufLayout, size: PixelSize, format: PixelFormat, color: ColorDescription = .unspecified,
        onRelease: @escaping @Sendable () -> Void = {}
    ) throws(SessionError) {
        try Self.check(size, format)
        try color.check()
        try layout.check(size, format)
        let frame: Frame
        do { frame = try Frame(layout, size: size, pixelFormat: format, onRelease: onRelease) } catch {
            throw SessionError(error, while: "taking a DMA-BUF", else: .allocationFailed)
        }
        frame.color = color
        self.init(frame)
    }

    /// The memory of a picture on a GPU's surface, for others to read: a compositor, OpenGL, another process (CoreVideo:
    /// `CVPixelBufferGetIOSurface`). The GPU's work on the picture is done when this returns.
    ///
    /// - Throws: ``SessionError``: `badParameter` for a picture in memory, `unsupportedFormat` where the driver does not give
    ///   it out, or the stream crops it at the left or the top.
    public func exportDMABuf() throws(SessionError) -> ExportedDMABuf {
        guard isOnSurface else {
            throw SessionError(.badParameter, "\(self) is in memory of this process, which is no DMA-BUF")
        }
        guard frame.cropOrigin == (0, 0) else {
            throw SessionError(.unsupportedFormat, "\(self) begins inside of its surface, at \(frame.cropOrigin)")
        }
        do { return ExportedDMABuf(try frame.exportDMABuf()) } catch {
            throw SessionError(error, while: "exporting a picture from the GPU", else: .unsupportedFormat)
        }
    }
}

/// The memory of a picture, as ``PixelBuffer/exportDMABuf()`` gives it out. The picture stays as it is, and the descriptors open,
/// for as long as this object exists; who needs one for longer duplicates it.
///
/// Unchecked: the frame is not changed.
public final class ExportedDMABuf: @unchecked Sendable {
    private let frame: Frame
    /// The samples are the picture's ``PixelBuffer/format``, whose kernel's number is `format.drmFormat`.
    public let layout: DMABufLayout

    fileprivate init(_ frame: Frame) {
        self.frame = frame
        layout = frame.dmaBuf ?? DMABufLayout(objects: [], planes: [])
    }
}

extension DMABufLayout {
    /// - Throws: `.unsupportedFormat`, `.badParameter`.
    fileprivate func check(_ size: PixelSize, _ format: PixelFormat) throws(SessionError) {
        guard format.drmFormat != nil else {
            throw SessionError(.unsupportedFormat, "the kernel has no name for \(format), so no DMA-BUF holds it")
        }
        // libavutil takes tiles for rows where a driver refuses them.
        for modifier in objects.map(\.modifier) where modifier != Self.linear && modifier != Self.implicit {
            throw SessionError(
                .unsupportedFormat,
                "a DMA-BUF with the modifier 0x\(String(modifier, radix: 16)) cannot be imported; allowed: linear, implicit"
            )
        }
        let shapes = format.layout(of: size)
        guard (1...4).contains(objects.count), planes.count == shapes.count else {
            throw SessionError(
                .badParameter,
                "a picture in \(format) has 1 to 4 objects and \(shapes.count) planes, not \(objects.count) and \(planes.count)"
            )
        }
        var byteCounts: [Int] = []
        for object in objects { byteCounts.append(try object.byteCount()) }
        for (index, plane) in planes.enumerated() {
            guard byteCounts.indices.contains(plane.object) else {
                throw SessionError(.badParameter, "plane \(index) is in object \(plane.object), which there is not")
            }
            try PlanePlace(offset: plane.offset, bytesPerRow: plane.bytesPerRow)
                .check(shapes[index], index, in: byteCounts[plane.object])
        }
    }
}

extension DMABufLayout.Object {
    fileprivate func byteCount() throws(SessionError) -> Int {
        guard let count = FileDescriptor.mappableByteCount(of: descriptor) else {
            throw SessionError(.badParameter, "descriptor \(descriptor) is no DMA-BUF, and no file that can be mapped")
        }
        return count
    }
}

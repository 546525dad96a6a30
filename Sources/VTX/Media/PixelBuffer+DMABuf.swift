import VTXFFmpeg
public import VTXMedia
import VTXSession
import VTXSystem

extension PixelBuffer {
    /// Creates a pixel buffer from DMA-BUFs: a camera's buffer, or a compositor's surface (CoreVideo:
    /// `CVPixelBufferCreateWithIOSurface`).
    ///
    /// If a ``CompressionSession``'s GPU supports such memory, NV12 and P010 are encoded without copying. Otherwise,
    /// and for other formats, the samples are copied once if they are ``DMABufLayout/linear``. If a driver refuses the
    /// modifier of another layout, such as a compositor's tiles, the frame is an error (`unsupportedFormat`).
    ///
    /// The frame must be complete: only the implicit synchronization of the kernel's drivers is waited for. Do not
    /// write to it until `onRelease` is called.
    ///
    /// - Parameters:
    ///   - layout: The layout of the frame. Its descriptors are duplicated: the caller may close them.
    ///   - size: The size in pixels, each side 1 to 16384.
    ///   - format: One of ``formats`` that has a DRM format, from which `PixelFormat(drmFormat:)` creates it.
    ///   - color: The color description, which the encoder writes into the stream.
    ///   - onRelease: Called on any thread when neither a session nor the program refers to the frame any more. A
    ///     camera gets its buffer back here (`VIDIOC_QBUF`).
    /// - Throws: ``SessionError``: `badParameter` for planes outside the memory; `unsupportedFormat` for other formats;
    ///   `allocationFailed`. `onRelease` is not called then.
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

    /// Exports the memory of a pixel buffer on a GPU's surface to a compositor, OpenGL or another process (CoreVideo:
    /// `CVPixelBufferGetIOSurface`). When this returns, the GPU has finished working on the frame.
    ///
    /// - Throws: ``SessionError``: `badParameter` for a pixel buffer in memory; `unsupportedFormat` if the driver
    ///   cannot export it, or the stream crops it on the left or at the top.
    public func exportDMABuf() throws(SessionError) -> ExportedDMABuf {
        guard isOnSurface else {
            throw SessionError(.badParameter, "\(self) is in memory of this process, not in a DMA-BUF")
        }
        guard frame.cropOrigin == (0, 0) else {
            throw SessionError(.unsupportedFormat, "\(self) starts inside its surface, at \(frame.cropOrigin)")
        }
        do { return ExportedDMABuf(try frame.exportDMABuf()) } catch {
            throw SessionError(error, while: "exporting a picture from the GPU", else: .unsupportedFormat)
        }
    }
}

/// The memory of a pixel buffer, exported by ``PixelBuffer/exportDMABuf()``. The frame stays unchanged, and the
/// descriptors stay open, as long as this object exists. Duplicate a descriptor to keep it longer.
///
/// Unchecked: the frame is not changed.
public final class ExportedDMABuf: @unchecked Sendable {
    private let frame: Frame
    /// The location of the frame. Its format is the pixel buffer's ``PixelBuffer/format``, in DRM's terms
    /// `format.drmFormat`.
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
            throw SessionError(.unsupportedFormat, "\(format) has no DRM format, so it cannot be in a DMA-BUF")
        }
        let shapes = format.layout(of: size)
        // Compressed tiles have planes of their own.
        let hasPlanes = isTiled ? shapes.count...4 ~= planes.count : planes.count == shapes.count
        guard (1...4).contains(objects.count), hasPlanes else {
            throw SessionError(
                .badParameter,
                "a picture in \(format) has 1 to 4 objects and \(shapes.count) planes, not \(objects.count) and \(planes.count)"
            )
        }
        var byteCounts: [Int] = []
        for object in objects { byteCounts.append(try object.byteCount()) }
        for (index, plane) in planes.enumerated() {
            guard byteCounts.indices.contains(plane.object) else {
                throw SessionError(.badParameter, "plane \(index) is in object \(plane.object), which does not exist")
            }
            try check(plane, index, index < shapes.count ? shapes[index] : nil, in: byteCounts[plane.object])
        }
    }

    /// Only the GPU's driver knows how many bytes tiles have.
    private func check(
        _ plane: Plane, _ index: Int, _ shape: PlaneLayout?, in byteCount: Int
    ) throws(SessionError) {
        if !isTiled, let shape {
            return try PlanePlace(offset: plane.offset, bytesPerRow: plane.bytesPerRow)
                .check(shape, index, in: byteCount)
        }
        guard (0..<byteCount).contains(plane.offset), (1..<1 << 24).contains(plane.bytesPerRow) else {
            throw SessionError(.badParameter, "plane \(index) is outside the memory of \(byteCount) bytes")
        }
    }
}

extension DMABufLayout.Object {
    fileprivate func byteCount() throws(SessionError) -> Int {
        guard let count = FileDescriptor.mappableByteCount(of: descriptor) else {
            throw SessionError(.badParameter, "descriptor \(descriptor) is neither a DMA-BUF nor a mappable file")
        }
        return count
    }
}

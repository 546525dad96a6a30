import VTXFFmpeg
public import VTXMedia
import VTXSession

/// A frame of uncompressed video: in memory, or on a surface of a GPU (CoreVideo: `CVPixelBuffer`).
///
/// A pixel buffer is immutable, so several sessions can use it at the same time. Copying a reference does not copy
/// samples.
///
/// Unchecked: the frame is not written to after `init`; sessions work on their own references.
public final class PixelBuffer: @unchecked Sendable {
    let frame: Frame
    /// nil in memory.
    let place: SurfaceOrigin?

    init(_ frame: Frame, at place: SurfaceOrigin? = nil) {
        self.frame = frame
        self.place = frame.isOnSurface ? place : nil
    }

    /// The supported formats.
    public static let formats: [PixelFormat] = [
        .nv12, .p010, .i420, .planar(.yuv420, bitDepth: 10), .bgra, .rgba, .rgb24,
        .bgr24, .yuyv, .uyvy,
    ]

    /// Creates a pixel buffer in memory and fills its planes.
    ///
    /// - Parameters:
    ///   - size: The size, in pixels; each side from 1 to 16384.
    ///   - format: One of ``formats``.
    ///   - color: The color description, which an encoder writes into the stream.
    ///   - fill: Called once for each plane, with its index, its rows including any padding, and the number of bytes
    ///     per row.
    /// - Throws: ``SessionError``: `badParameter`, `unsupportedFormat`, `allocationFailed`.
    public convenience init(
        size: PixelSize, format: PixelFormat, color: ColorDescription = .unspecified,
        fill: (_ plane: Int, _ bytes: inout MutableRawSpan, _ bytesPerRow: Int) -> Void
    ) throws(SessionError) {
        try Self.check(size, format)
        try color.check()
        let frame: Frame
        do { frame = try Frame(size: size, pixelFormat: format) } catch {
            throw SessionError(error, while: "making a picture of \(size)", else: .allocationFailed)
        }
        frame.color = color
        frame.fill(fill)
        self.init(frame)
    }

    static func check(_ size: PixelSize, _ format: PixelFormat) throws(SessionError) {
        guard (1...16384).contains(size.width), (1...16384).contains(size.height) else {
            throw SessionError(.badParameter, "the size cannot be \(size); allowed: sides of 1 to 16384 pixels")
        }
        guard formats.contains(format) else {
            throw SessionError(
                .unsupportedFormat,
                "pictures cannot be made in \(format), only in \(formats.map(\.name).joined(separator: ", "))")
        }
    }
}

extension PixelBuffer {
    /// The size, in pixels.
    public var size: PixelSize { frame.size }
    /// The format of the samples, in memory or on a surface.
    public var format: PixelFormat { frame.pixelFormat }
    /// The color description (CoreVideo: the attachments `kCVImageBufferColorPrimariesKey` and others).
    public var color: ColorDescription { frame.color }
    /// The sample aspect ratio; 0/1 if unspecified.
    public var pixelAspectRatio: Rational { frame.sampleAspectRatio }
    /// Whether the samples are in video memory or DMA-BUFs, where planes cannot be read. ``inMemory()`` copies them to
    /// memory.
    public var isOnSurface: Bool { frame.isOnSurface }
    /// The number of planes; 0 on a surface.
    public var planeCount: Int { frame.planeCount }

    /// Returns a pixel buffer with the same samples and another color description. Copies no samples.
    ///
    /// - Throws: ``SessionError``: `badParameter`, `allocationFailed`.
    public func attaching(_ color: ColorDescription) throws(SessionError) -> PixelBuffer {
        try color.check()
        let copy = try reference()
        copy.color = color
        return PixelBuffer(copy, at: place)
    }

    /// Returns the pixel buffer itself if it is in memory; otherwise a copy in memory.
    ///
    /// - Throws: ``SessionError``: `hardwareMalfunction` if the GPU cannot copy it; `unsupportedFormat` for a DMA-BUF
    ///   that is not linear.
    public func inMemory() throws(SessionError) -> PixelBuffer {
        isOnSurface ? PixelBuffer(try frame.copiedToMemory()) : self
    }

    /// Returns a reference to the samples whose properties a codec may change.
    func reference() throws(SessionError) -> Frame {
        do { return try frame.reference() } catch {
            throw SessionError(error, while: "referring to a picture", else: .allocationFailed)
        }
    }
}

extension Frame {
    /// Returns a copy of a surface or of linear DMA-BUFs.
    func copiedToMemory() throws(SessionError) -> Frame {
        if dmaBuf?.isLinear == false {
            throw SessionError(.unsupportedFormat, "a DMA-BUF that is not linear can be read by a GPU only")
        }
        do { return try download() } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
    }
}

extension PixelBuffer {
    /// The color description after encoding: RGB becomes YUV, by BT.709 or BT.2020.
    var encodedColor: ColorDescription {
        var color = color
        if format.isRGB {
            color.matrix = color.primaries == 9 ? 9 : 1
            color.isFullRange = false
        }
        return color
    }

    /// Returns the color description after conversion to another format: RGB has full range and no matrix.
    func color(in other: PixelFormat) -> ColorDescription {
        guard other.isRGB else { return encodedColor }
        var color = color
        (color.matrix, color.isFullRange) = (ColorDescription.unspecifiedCode, true)
        return color
    }
}

extension PixelBuffer: CustomStringConvertible {
    public var description: String { "\(size) \(format)" + (isOnSurface ? " on a surface" : "") }
}

import VTXFFmpeg
import VTXLibVA
import VTXMedia
import VTXSession

/// The surface formats that vtx uses, by VA-API's and libavutil's names.
struct SurfaceFormat: Sendable, Hashable {
    var fourCC: FourCC
    var rtFormat: RTFormat
    var pixelFormat: PixelFormat

    static let nv12 = SurfaceFormat(fourCC: .nv12, rtFormat: .yuv420, pixelFormat: .nv12)
    static let p010 = SurfaceFormat(fourCC: .p010, rtFormat: .yuv420x10, pixelFormat: .p010)

    /// Returns the format for samples of this bit depth.
    static func of(_ format: PixelFormat) -> SurfaceFormat { format.bitDepth > 8 ? p010 : nv12 }

    /// Returns the formats that the driver lists for a profile and entrypoint; without a list, those of its
    /// `VA_RT_FORMAT` flags.
    ///
    /// The list takes precedence: iHD's video processor supports P010 without `VA_RT_FORMAT_YUV420_10`.
    static func all(in row: DriverCapabilities.Row) -> [SurfaceFormat] {
        let listed = row.surfaces?.formats ?? []
        return [nv12, p010].filter {
            listed.isEmpty ? row.rtFormats.contains($0.rtFormat) : listed.contains($0.fourCC)
        }
    }
}

/// Converts the memory layout of frames, `yuv420p` to `nv12` or back. Range and bit depth do not change.
struct PixelLayout {
    /// The graph for frames of this format; nil if no conversion is needed.
    private var last: (shape: FrameFormat, format: PixelFormat, graph: FilterGraph?)?

    mutating func arrange(_ frame: Frame, as format: PixelFormat) throws(FFmpegError) -> Frame {
        let shape = FrameFormat(frame)
        if last?.shape != shape || last?.format != format {
            last = (shape, format, try Self.graph(for: frame, as: format))
        }
        guard let graph = last?.graph else { return frame }
        let (timeBase, duration, color) = (frame.timeBase, frame.duration, frame.color)
        try graph.send(frame)
        guard case .unit(let arranged) = try graph.receive() else {
            throw FFmpegError("av_buffersink_get_frame", -1)
        }
        arranged.rescale(to: timeBase)
        arranged.duration = duration
        // swscale sets a range if the frame has none.
        arranged.color = color
        return arranged
    }

    private static func graph(for frame: Frame, as format: PixelFormat) throws(FFmpegError) -> FilterGraph? {
        guard frame.pixelFormat.name != format.name else { return nil }
        // Set on both sides, or swscale guesses and converts.
        let range = frame.color.isFullRange == true ? "pc" : "tv"
        return try FilterGraph(
            videoLike: frame, frameRate: Rational(0, 1),
            chain: "scale=in_range=\(range):out_range=\(range),format=\(format.name)")
    }
}

/// Uploads frames from memory to surfaces, in a layout that the driver lists. Only the layout changes, not range or bit
/// depth. Frames on a surface are passed through, and those in DMA-BUFs are mapped without copying.
///
/// Unchecked: it belongs to one filter or encoder, and so to one thread at a time.
final class SurfaceUpload: @unchecked Sendable {
    private let device: OpenedDevice
    private let formats: [PixelFormat]
    private var pool: SurfacePool?
    private var arrangement = PixelLayout()

    init(to device: OpenedDevice, formats: [PixelFormat]) {
        self.device = device
        self.formats = formats
    }

    func surface(for frame: Frame) throws(SessionError) -> Frame {
        if let layout = frame.dmaBuf { return try imported(frame, layout) }
        if frame.isOnSurface { return frame }
        let source = frame.pixelFormat
        guard let format = formats.first(where: { $0.hasSamples(like: source) })
        else {
            let listed = formats.map(\.name).joined(separator: ", ")
            throw SessionError(.unsupportedFormat, "the GPU does not support \(source), only \(listed)")
        }
        do {
            let arranged = try arrangement.arrange(frame, as: format)
            return try pool(for: arranged.size, format).upload(arranged)
        } catch {
            throw SessionError(error, while: "copying a picture to the GPU", else: .hardwareMalfunction)
        }
    }

    private func imported(_ frame: Frame, _ layout: DMABufLayout) throws(SessionError) -> Frame {
        let surface = try tiledSurface(layout, of: frame)
        do throws(FFmpegError) {
            let pool = try pool(for: frame.size, frame.pixelFormat)
            guard let surface else { return try pool.map(frame) }
            return try pool.frame(on: surface.id, ownedBy: surface, in: frame)
        } catch {
            throw SessionError(error, while: "importing a DMA-BUF of \(frame.pixelFormat)", else: .unsupportedFormat)
        }
    }

    /// - Returns: nil if the memory has no modifier that a driver may refuse.
    private func tiledSurface(_ layout: DMABufLayout, of frame: Frame) throws(SessionError) -> ImportedSurface? {
        guard layout.isTiled, let modifier = layout.objects.first?.modifier else { return nil }
        let text = "a DMA-BUF of \(frame.pixelFormat) with the modifier 0x\(String(modifier, radix: 16))"
        let formats: [SurfaceFormat] = [.nv12, .p010]
        guard let format = formats.first(where: { $0.pixelFormat == frame.pixelFormat }) else {
            throw SessionError(.unsupportedFormat, "\(text) cannot be imported, only nv12 and p010le")
        }
        do {
            return try ImportedSurface(layout, size: frame.size, format.fourCC, format.rtFormat, on: device.display)
        } catch { throw SessionError(.unsupportedFormat, "the driver refuses \(text): \(error)") }
    }

    private func pool(for size: PixelSize, _ format: PixelFormat) throws(FFmpegError) -> SurfacePool {
        if let pool, pool.size == size, pool.pixelFormat == format { return pool }
        let made = try SurfacePool(device.hardware, size: size, pixelFormat: format)
        pool = made
        return made
    }
}

/// Uploads frames from memory to surfaces.
final class VAAPIUpload: VideoFilter {
    private let sequence = FilterSequence([])
    private let upload: SurfaceUpload

    init(_ upload: SurfaceUpload) { self.upload = upload }

    func send(_ frame: Frame?) throws(SessionError) {
        if let frame { try sequence.send(try upload.surface(for: frame)) } else { try sequence.send(nil) }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}

/// Downloads frames from surfaces to memory.
///
/// Unchecked: one thread at a time calls it, as the protocol requires.
final class VAAPIDownload: VideoFilter, @unchecked Sendable {
    private let sequence = FilterSequence([])
    private let format: PixelFormat?
    private var arrangement = PixelLayout()

    init(as format: PixelFormat?) { self.format = format }

    func send(_ frame: Frame?) throws(SessionError) {
        guard let frame, frame.isOnSurface else { return try sequence.send(frame) }
        let picture: Frame
        do {
            let copy = try frame.download()
            picture = if let format { try arrangement.arrange(copy, as: format) } else { copy }
        } catch {
            throw SessionError(error, while: "copying a picture from the GPU", else: .hardwareMalfunction)
        }
        try sequence.send(picture)
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> { try sequence.receive() }
}

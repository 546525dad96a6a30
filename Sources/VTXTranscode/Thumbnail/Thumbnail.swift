import VTXFFmpeg
import VTXMedia
package import VTXSession
import VTXSystem
package import VTXTask

extension ThumbnailJob {
    /// - Parameter device: Decodes to memory.
    package func run(on device: any DeviceSession) throws(TranscodeError) {
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.checkDistinct(source: input, output: output)
            if !replaces, AtomicFile.exists(output) { throw .exists(path: output) }
        }
        let frame = try picture(on: device)
        let drawn: [UInt8]?
        do { drawn = try Thumbnail(frame, side: side, on: device).jpeg() } catch {
            throw TranscodeError(.software, "the thumbnail cannot be drawn: \(error)").caused(by: "\(error)")
        }
        guard let jpeg = drawn else { throw TranscodeError(.software, "the thumbnail cannot be drawn") }
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.write(jpeg, to: output, replaces: replaces)
        }
    }

    /// The maximum number of pixels to decode from a key frame: 300 frames of 1920x1080, which take a second or two.
    private static let pixels = 300 * 1920 * 1080

    /// Returns the frame shown at the time, or the last one before it within the limit if the key frame is far away.
    private func picture(on device: any DeviceSession) throws(TranscodeError) -> ShownFrame {
        let video = try ComparedVideo(input, on: device)
        let first = video.source.demuxer.startTime?.seconds ?? 0
        let length = video.source.demuxer.duration?.seconds ?? 0
        let target = first + (seconds ?? length / 10)
        if !video.source.countsFrames { try? video.source.seek(to: MediaTime(seconds: target)) }
        let found = try Self.frame(at: target, from: first, in: video)
        if found?.isBefore ?? true { try check(max(length, (found?.end ?? first) - first)) }
        guard let found else {
            // Nothing can be decoded there: the first one, then.
            let again = try ComparedVideo(input, on: device)
            return ShownFrame(try again.first(), again.source)
        }
        return ShownFrame(found.frame, video.source)
    }

    /// - Parameter length: The duration of the file, whose last frame is shown to its end.
    /// - Throws: if the thumbnail is after it.
    private func check(_ length: Double) throws(TranscodeError) {
        guard let seconds, seconds > length + Self.tolerance else { return }
        throw TranscodeError(
            .rangeEmpty, "there is no frame at \(plain(seconds)) s: '\(input)' ends at \(plain(length)) s")
    }

    private func plain(_ seconds: Double) -> String { plainText((seconds * 100).rounded() / 100) }

    /// Half a frame of 60 a second, in seconds: times are rounded.
    private static let tolerance = 0.008

    private struct FoundFrame {
        var frame: Frame
        /// Of the frame, in seconds of the file.
        var end: Double
        /// Whether the video ends before the requested time.
        var isBefore = false
    }

    /// - Parameter first: The time of the file's first frame. Frames without timestamps follow it at a constant rate.
    private static func frame(
        at target: Double, from first: Double, in video: ComparedVideo
    ) throws(TranscodeError) -> FoundFrame? {
        var (last, pixels) = (FoundFrame?.none, 0)
        while pixels < Self.pixels {
            _ = try video.times()
            guard let placed = video.take() else {
                last?.isBefore = true
                break
            }
            let frame = placed.frame
            pixels += frame.size.width * frame.size.height
            let own = video.source.countsFrames ? nil : frame.presentationTime?.seconds
            let time = own ?? first + placed.seconds
            last = FoundFrame(frame: frame, end: time + MediaTime(frame.duration, frame.timeBase).seconds)
            if time >= target - Self.tolerance { break }
        }
        return last
    }
}

/// A frame, with the display properties of its file.
struct ShownFrame {
    var frame: Frame
    var orientation: DisplayMatrix.Orientation
    var aspectRatio: Rational
    var color: ColorDescription

    init(_ frame: Frame, _ source: Source) {
        self.frame = frame
        orientation = source.sample.displayMatrix?.orientation ?? .upright
        let container = source.video.info.sampleAspectRatio
        aspectRatio = container.isPositive ? container : frame.sampleAspectRatio
        color = frame.color.filled(from: source.video.color)
    }

    /// The size in square pixels, in display orientation.
    var size: PixelSize {
        let aspect = aspectRatio.isPositive ? min(100, max(0.01, aspectRatio.value)) : 1
        let square = PixelSize(max(1, Int((Double(frame.size.width) * aspect).rounded())), frame.size.height)
        return orientation.isTransposed ? square.transposed : square
    }
}

/// A frame to be encoded as JPEG, whose colors are BT.601 in full range (JFIF).
struct Thumbnail {
    private let shown: ShownFrame
    private let size: PixelSize
    private let device: any DeviceSession

    init(_ shown: ShownFrame, side: Int, on device: any DeviceSession) {
        (self.shown, self.device) = (shown, device)
        let scale = min(1, Double(side) / Double(max(shown.size.width, shown.size.height)))
        let sides = [shown.size.width, shown.size.height].map { Int((Double($0) * scale).rounded()) }
        size = PixelSize(sides[0], sides[1]).roundedDownToEven
    }

    func jpeg() throws -> [UInt8]? {
        guard let frame = try shown.color.isHDR ? mapped() : still(shown.frame) else { return nil }
        let graph = try FilterGraph(videoLike: frame, frameRate: Rational(0, 1), chain: chain(for: frame))
        try graph.send(frame)
        try graph.send(nil)
        guard case .unit(let picture) = try graph.receive() else { return nil }
        return try JPEG.encode(picture)
    }

    private func still(_ frame: Frame) throws(FFmpegError) -> Frame {
        let still = try frame.reference()
        still.setTimes(pts: 0, duration: 1, timeBase: Rational(1, 25))
        return still
    }

    /// Converts HDR to SDR, which browsers expect of a JPEG.
    private func mapped() throws -> Frame? {
        var color = ColorDescription.bt709
        color.chromaLocation = shown.color.chromaLocation
        var configuration = FilterConfiguration(
            size: shown.frame.size.roundedDownToEven, pixelFormat: .planar(.yuv420, bitDepth: 8), color: color,
            scaling: .fill, isSquare: false, deinterlacing: .never, orientation: .upright, frameRate: nil,
            sourceFrameRate: Rational(25, 1), timeBase: Rational(1, 25))
        configuration.toneMapping = ToneMapping(source: shown.color, metadata: HDRMetadata())
        let filter = try device.makeFilter(configuration)
        try filter.send(try still(shown.frame))
        if case .unit(let frame) = try filter.receive() { return try still(frame) }
        try filter.send(nil)
        guard case .unit(let frame) = try filter.receive() else { return nil }
        return try still(frame)
    }

    private func chain(for frame: Frame) -> String {
        let from = frame.pixelFormat.isRGB ? "" : ranges(frame)
        let scale = "scale=\(size.width):\(size.height):flags=bicubic\(from):out_range=pc:out_color_matrix=bt601"
        return (shown.orientation.filters + [scale, "setsar=1", "format=yuvj420p"]).joined(separator: ",")
    }

    /// The color description of the samples, or for HD without one, what players assume.
    private func ranges(_ frame: Frame) -> String {
        let color = frame.color.filled(from: shown.color)
        let names = [1: "bt709", 5: "bt601", 6: "bt601", 9: "bt2020"]
        let matrix = names[color.matrix] ?? (frame.size.isHD ? "bt709" : "bt601")
        return ":in_range=\(color.isFullRange == true ? "pc" : "tv"):in_color_matrix=\(matrix)"
    }
}

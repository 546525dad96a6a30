import VTXFFmpeg
import VTXMedia
import VTXTask

/// Deinterlaces an input (libavfilter: `bwdif`). From the first interlaced frame on, all frames go through the same
/// graph, because it needs the previous ones.
struct InputDeinterlacer {
    private let policy: CaptureDeinterlacing
    private let frameRate: Rational
    private var graph: FilterGraph?
    /// The format that the graph was built for.
    private var shape: FrameFormat?

    init(_ policy: CaptureDeinterlacing, frameRate: Rational) {
        (self.policy, self.frameRate) = (policy, frameRate.isPositive ? frameRate : 25)
    }

    var isActive: Bool { graph != nil }

    /// - Returns: the finished frames; the filter holds one back.
    mutating func take(_ frame: Frame) throws(FFmpegError) -> [Frame] {
        guard let chain, graph != nil || policy != .auto || frame.isInterlaced else { return [frame] }
        let timeBase = frame.timeBase
        var shape = FrameFormat(frame)
        shape.isInterlaced = true
        var finished: [Frame] = []
        if shape != self.shape {
            finished = try finish(timeBase)
            graph = try FilterGraph(videoLike: frame, frameRate: frameRate, chain: chain)
            self.shape = shape
        }
        try graph?.send(frame)
        return finished + (try receive(timeBase))
    }

    /// Flushes the filter.
    mutating func finish(_ timeBase: Rational) throws(FFmpegError) -> [Frame] {
        guard let graph else { return [] }
        try graph.send(nil)
        let last = try receive(timeBase)
        (self.graph, shape) = (nil, nil)
        return last
    }

    private var chain: String? {
        switch policy {
        case .auto: "bwdif=mode=send_frame:deint=interlaced"
        case .on: "bwdif=mode=send_frame:deint=all"
        case .field: "bwdif=mode=send_field:deint=all"
        case .off: nil
        }
    }

    private func receive(_ timeBase: Rational) throws(FFmpegError) -> [Frame] {
        var frames: [Frame] = []
        while let graph, case .unit(let frame) = try graph.receive() {
            frame.rescale(to: timeBase)
            frame.setTimes(pts: frame.pts, duration: 0, timeBase: timeBase)
            frames.append(frame)
        }
        return frames
    }
}

/// Detects changes of an input's frames, and reports each once.
struct InputChanges {
    private let name: String
    /// The size of the recording.
    private let recorded: PixelSize
    private var size: PixelSize
    private var aspect: Rational?
    private var color: ColorDescription?
    private var rotation: DisplayMatrix.Orientation?
    /// Whether the next frame is the first of a connection: one without a display matrix is upright. Later ones may
    /// leave it out.
    private var isFirst = true
    private var isDeinterlacing = false

    /// - Parameters:
    ///   - name: The input's name in messages.
    ///   - size: The size in its header.
    init(_ name: String, recorded: PixelSize, size: PixelSize) {
        (self.name, self.recorded, self.size) = (name, recorded, size)
    }

    /// Prepares for the first frame of another connection.
    mutating func reconnect() { isFirst = true }

    mutating func notices(_ frame: Frame, of connection: InputConnection) -> [Notice] {
        var notices: [Notice] = []
        let aspect = frame.sampleAspectRatio.isPositive ? frame.sampleAspectRatio : 1
        if frame.size != size || aspect != self.aspect ?? aspect {
            let shape: Message = aspect == 1 ? "" : ", with samples of \(aspect)"
            notices.append(
                Notice(
                    .captureFormat,
                    "\(name) now has frames of \(frame.size)\(shape); they are fitted into \(recorded)")
            )
        }
        (size, self.aspect) = (frame.size, aspect)
        notices += noticesOfColor(frame.color)
        notices += noticesOfRotation(frame.displayMatrix ?? connection.video.displayMatrix)
        if connection.isDeinterlacing, !isDeinterlacing {
            isDeinterlacing = true
            notices.append(
                Notice(
                    .captureFormat,
                    "\(name) is interlaced: its frames are deinterlaced (\(option: .deinterlace, "off") keeps the fields)"
                ))
        }
        return notices
    }

    private mutating func noticesOfRotation(_ matrix: DisplayMatrix?) -> [Notice] {
        defer { isFirst = false }
        guard matrix != nil || isFirst else { return [] }
        let last = rotation
        rotation = matrix?.orientation ?? .upright
        guard let last, last != rotation else { return [] }
        return [Notice(.captureFormat, "\(name) now has another rotation; it is recorded with that of the start")]
    }

    private mutating func noticesOfColor(_ color: ColorDescription) -> [Notice] {
        defer { self.color = color }
        guard let last = self.color, last.primaries != color.primaries || last.transfer != color.transfer else {
            return []
        }
        return [Notice(.captureFormat, "\(name) now has other colors; they are recorded as those at the start")]
    }
}

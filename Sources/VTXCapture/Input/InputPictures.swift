import VTXFFmpeg
import VTXMedia
import VTXTask

/// Makes whole pictures of an input's fields (libavfilter: `bwdif`). From the first picture on that needs it, all go through
/// the same graph: it has to have seen the ones before.
struct InputDeinterlacer {
    private let policy: CaptureDeinterlacing
    private let frameRate: Rational
    private var graph: FilterGraph?
    /// What the graph was built for.
    private var shape: FrameFormat?

    init(_ policy: CaptureDeinterlacing, frameRate: Rational) {
        (self.policy, self.frameRate) = (policy, frameRate.isPositive ? frameRate : 25)
    }

    var isActive: Bool { graph != nil }

    /// - Returns: the pictures that are whole by now; the filter holds one back.
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

    /// What is held back.
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

/// What an input's pictures have in common with those before; what changes is said, once.
struct InputChanges {
    private let name: String
    /// In which they are recorded.
    private let recorded: PixelSize
    private var size: PixelSize
    private var aspect: Rational?
    private var isDeinterlacing = false

    /// - Parameters:
    ///   - name: as messages name the input.
    ///   - size: what its header says.
    init(_ name: String, recorded: PixelSize, size: PixelSize) {
        (self.name, self.recorded, self.size) = (name, recorded, size)
    }

    mutating func notices(_ frame: Frame, isDeinterlaced: Bool) -> [Notice] {
        var notices: [Notice] = []
        let aspect = frame.sampleAspectRatio.isPositive ? frame.sampleAspectRatio : 1
        if frame.size != size || aspect != self.aspect ?? aspect {
            let shape: Message = aspect == 1 ? "" : ", with samples of \(aspect)"
            notices.append(
                Notice(
                    .captureFormat,
                    "the pictures of \(name) have \(frame.size) from here on\(shape); they are fitted into \(recorded)")
            )
        }
        (size, self.aspect) = (frame.size, aspect)
        if isDeinterlaced, !isDeinterlacing {
            isDeinterlacing = true
            notices.append(
                Notice(
                    .captureFormat,
                    "the pictures of \(name) are interlaced: they are deinterlaced (\(option: .deinterlace, "off") keeps their fields)"
                ))
        }
        return notices
    }
}

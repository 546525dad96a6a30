import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavfilter's filters, as few as a frame needs. A frame that needs none passes without a copy.
///
/// The source may change in the middle (size, format, interlacing); the output never does: the graph is built
/// again for frames that the present one does not fit.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class SoftwareFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    private var graph: FilterGraph?
    /// What the graph was built for; with no graph, the frames that need none.
    private var input: FrameFormat?
    /// The graph has been told that nothing more comes, and gives out what it holds back.
    private var isDraining = false
    /// The frame that came in last and has gone nowhere yet.
    private var waiting: (frame: Frame, shape: FrameFormat)?
    private var isAtEnd = false
    private var durations: FrameDurations
    /// Where the last frame that came in ends, in ticks of its own time base.
    private var inputEnd: Int64?

    init(_ configuration: FilterConfiguration) {
        self.configuration = configuration
        let rate = configuration.frameRate ?? configuration.sourceFrameRate
        durations = FrameDurations(
            frameDuration: MediaTime.rescale(1, from: rate.reciprocal, to: configuration.timeBase))
    }

    func send(_ frame: Frame?) throws(SessionError) {
        try translating { () throws(FFmpegError) in
            waiting = frame.map { ($0, FrameFormat($0)) }
            isAtEnd = frame == nil
            // A graph that the frame does not fit, or that no frame follows, is emptied first.
            if let waiting, fits(waiting.shape) { return }
            guard let graph else { return }
            try graph.end(at: inputEnd)
            isDraining = true
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        try translating { () throws(FFmpegError) in
            while true {
                if let frame = try takeFromGraph() { return .unit(frame) }
                guard let (frame, shape) = waiting else { return isAtEnd ? .endOfStream : .needsInput }
                waiting = nil
                if let passed = try put(frame, shape) { return .unit(passed) }
            }
        }
    }

    /// Whether the graph, or having none, is right for such a frame.
    private func fits(_ shape: FrameFormat) -> Bool { input?.accepts(shape) ?? false }

    /// The next finished frame; nil when the graph wants another one, or there is no graph.
    private func takeFromGraph() throws(FFmpegError) -> Frame? {
        guard let graph, isDraining || waiting == nil else { return nil }
        guard case .unit(let frame) = try graph.receive() else {
            if isDraining { (self.graph, input, isDraining) = (nil, nil, false) }
            return nil
        }
        frame.normalizeFullRangeFormat()
        if let input, configuration.isToneMapping(input) { frame.removeHDRMetadata() }
        frame.rescale(to: configuration.timeBase)
        if let pts = frame.pts { frame.duration = durations.take(pts: pts) }
        return frame
    }

    /// - Returns: the frame itself where it needs no filter.
    private func put(_ frame: Frame, _ shape: FrameFormat) throws(FFmpegError) -> Frame? {
        if !fits(shape) {
            input = shape
            let chain = FilterChain.describe(configuration, for: shape)
            graph =
                chain.isEmpty
                ? nil
                : try FilterGraph(
                    videoLike: frame, frameRate: configuration.sourceFrameRate, chain: chain.joined(separator: ","))
        }
        guard let graph else {
            frame.rescale(to: configuration.timeBase)
            return frame
        }
        note(frame)
        try graph.send(frame)
        return nil
    }

    private func note(_ frame: Frame) {
        guard let pts = frame.pts else { return }
        inputEnd = pts + frame.duration
        // At a new rate, frames last as long as that rate says.
        guard configuration.frameRate == nil else { return }
        let time = MediaTime.rescale(pts, from: frame.timeBase, to: configuration.timeBase)
        let duration = MediaTime.rescale(frame.duration, from: frame.timeBase, to: configuration.timeBase)
        durations.note(pts: time, duration: duration)
    }

    private func translating<Result>(_ body: () throws(FFmpegError) -> Result) throws(SessionError) -> Result {
        do { return try body() } catch {
            throw SessionError(error, while: "filtering", else: .unsupportedFormat)
        }
    }
}

/// Which of libavfilter's filters turn a frame into what is asked for, in their order.
enum FilterChain {
    /// Empty where the frame is right as it is.
    static func describe(_ configuration: FilterConfiguration, for input: FrameFormat) -> [String] {
        deinterlace(configuration, input) + crop(configuration, input) + rotate(configuration.orientation)
            + scale(configuration, input)
            + (configuration.frameRate.map { ["fps=\($0)"] } ?? [])
    }

    private static func deinterlace(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        switch configuration.deinterlacing {
        case .never: []
        case .flaggedFrames: input.isInterlaced ? ["bwdif=mode=send_frame:deint=interlaced"] : []
        case .everyFrame: ["bwdif=mode=send_frame:deint=all"]
        }
    }

    private static func crop(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        let kept = configuration.kept(of: input.size)
        return kept.size == input.size ? [] : ["crop=\(colons(kept.size)):\(kept.x):\(kept.y)"]
    }

    static func rotate(_ orientation: DisplayMatrix.Orientation) -> [String] {
        switch orientation {
        case .upright: []
        case .rotated90: ["transpose=clock"]
        case .rotated180: ["hflip", "vflip"]
        case .rotated270: ["transpose=cclock"]
        case .mirrored: ["hflip"]
        case .mirroredRotated90: ["transpose=clock_flip"]
        case .mirroredRotated180: ["vflip"]
        case .mirroredRotated270: ["transpose=cclock_flip"]
        }
    }

    private static func scale(_ configuration: FilterConfiguration, _ input: FrameFormat) -> [String] {
        let size = configuration.kept(of: input.size).size
        let turned = configuration.orientation.isTransposed ? size.transposed : size
        let aspect = turnedAspect(configuration, input)
        let isSquared = configuration.isSquare && aspect.isPositive && aspect.value != 1
        // An odd last column or row is cut off, not squeezed into the others.
        let kept = !isSquared && turned.cut(to: configuration.size) ? configuration.size : turned
        var chain = kept == turned ? [] : ["crop=\(colons(kept)):0:0"]
        if !isSquared, kept == configuration.size, !needsConversion(configuration, input) { return chain }
        let geometry = ScaleGeometry(
            source: kept, sampleAspectRatio: aspect, frame: configuration.size, scaling: configuration.scaling,
            frameIsSquare: configuration.isSquare)
        if geometry.needsCropping { chain.append("crop=\(colons(geometry.crop))") }
        let scale = "scale=\(colons(geometry.scaled)):flags=bicubic"
        let format = configuration.pixelFormat
        var conversion = [scale + colors(configuration, input)]
        if let mapping = configuration.toneMapping, configuration.isToneMapping(input) {
            conversion = ToneMappingChain.describe(mapping, configuration, input, size: geometry.scaled)
        }
        guard geometry.needsPadding else { return chain + conversion + ["format=\(format)"] }
        return chain + pad(conversion, geometry, kept, configuration, input)
    }

    /// - Parameters:
    ///   - conversion: what makes the picture that the bars go around.
    ///   - kept: the size before it.
    private static func pad(
        _ conversion: [String], _ geometry: ScaleGeometry, _ kept: PixelSize, _ configuration: FilterConfiguration,
        _ input: FrameFormat
    ) -> [String] {
        let format = configuration.pixelFormat
        let pad = "pad=\(colons(geometry.frame)):\(geometry.padding.x):\(geometry.padding.y)"
        // SDR out of HDR has limited range.
        guard configuration.color.isFullRange == true, format.bitDepth > 8 else {
            // Where scale changes no size, swscale takes NV12's chroma apart with stores of 16 bytes, straight into pad's
            // frame: a place in it that is not aligned crashes (FFmpeg 5.1). A copy gives scale a frame of its own.
            let crashes = input.pixelFormat.name == "nv12" && geometry.scaled == kept && geometry.padding.x % 32 != 0
            return conversion + ["format=\(paddedFormat(configuration))"] + (crashes ? ["copy"] : []) + [pad]
        }
        let scale = "scale=\(colons(geometry.scaled)):flags=bicubic"
        return [
            scale + colors(configuration, input, isLimited: true), "format=\(deepFormat(format))", pad,
            "scale=in_range=tv:out_range=pc", "format=\(format)",
        ]
    }

    /// With more than 8 bits no format says "full", so bars are added in limited range; with 16 bits, so that samples
    /// lose nothing on the way there and back.
    private static func deepFormat(_ format: PixelFormat) -> PixelFormat { .planar(format.chroma, bitDepth: 16) }

    /// The `pad` filter's black is limited range's unless the format itself says "full"; the name of the format is put
    /// right after the graph.
    private static func paddedFormat(_ configuration: FilterConfiguration) -> String {
        let format = configuration.pixelFormat
        guard configuration.color.isFullRange == true, format.bitDepth == 8 else { return format.name }
        return "yuvj" + format.name.dropFirst(3)
    }

    private static func needsConversion(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Bool {
        input.pixelFormat != configuration.pixelFormat || configuration.isToneMapping(input)
            || (input.color.isFullRange != nil && input.color.isFullRange != configuration.color.isFullRange)
    }

    private static func turnedAspect(_ configuration: FilterConfiguration, _ input: FrameFormat) -> Rational {
        let aspect = configuration.aspectRatio(of: input)
        return configuration.orientation.isTransposed ? aspect.reciprocal : aspect
    }

    /// swscale guesses ranges and matrices unless it is told.
    ///
    /// - Parameter isLimited: the samples come out in limited range, whatever they are to be in the end.
    private static func colors(
        _ configuration: FilterConfiguration, _ input: FrameFormat, isLimited: Bool = false
    ) -> String {
        let target = configuration.color
        let from = (input.color.isFullRange ?? target.isFullRange ?? input.pixelFormat.isRGB) ? "pc" : "tv"
        let to = !isLimited && (target.isFullRange ?? false) ? "pc" : "tv"
        var text = ":in_range=\(from):out_range=\(to)"
        if input.pixelFormat.isRGB, let matrix = matrixNames[target.matrix] { text += ":out_color_matrix=\(matrix)" }
        return text
    }

    /// H.273 8.3 as swscale names them.
    private static let matrixNames = [1: "bt709", 5: "bt601", 6: "bt601", 9: "bt2020"]

    private static func colons(_ size: PixelSize) -> String { "\(size.width):\(size.height)" }
}

extension PixelSize {
    /// True where the other size is this one, or this one without its odd last column or row.
    fileprivate func cut(to other: PixelSize) -> Bool {
        (0...1).contains(width - other.width) && (0...1).contains(height - other.height)
    }
}

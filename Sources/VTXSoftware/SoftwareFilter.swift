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
    /// nil for all that the configuration says.
    private let custom: CustomFilters?
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

    /// - Parameter custom: the last of its filters, of those that the configuration asks for.
    init(_ configuration: FilterConfiguration, upTo custom: CustomFilters? = nil) {
        (self.configuration, self.custom) = (configuration, custom)
        let rate = custom?.frameRate ?? configuration.frameRate ?? configuration.pictureRate
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
        if custom == nil, let input, configuration.isToneMapping(input) { frame.removeHDRMetadata() }
        if custom != nil, !frame.color.isHDR { frame.removeHDRMetadata() }
        frame.rescale(to: configuration.timeBase)
        if let pts = frame.pts { frame.duration = durations.take(pts: pts) }
        return frame
    }

    /// - Returns: the frame itself where it needs no filter.
    private func put(_ frame: Frame, _ shape: FrameFormat) throws(FFmpegError) -> Frame? {
        if !fits(shape) {
            input = configuration.ignoringMarks(of: shape)
            let chain =
                custom.map { FilterChain.describe(configuration, upTo: $0, for: shape) }
                ?? FilterChain.describe(configuration, for: shape)
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
        let rate = custom?.frameRate ?? configuration.frameRate ?? configuration.pictureRate
        let keepsRate = rate == configuration.sourceFrameRate && (custom != nil || configuration.frameRate == nil)
        guard keepsRate else { return }
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

extension FilterConfiguration {
    /// A deinterlacer that takes every frame goes on where fields come and go: its graph has seen the frames before.
    fileprivate func ignoringMarks(of shape: FrameFormat) -> FrameFormat {
        guard isDeinterlacing(shape) else { return shape }
        var same = shape
        same.isInterlaced = true
        return same
    }
}

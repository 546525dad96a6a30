import VTXFFmpeg
import VTXMedia
import VTXSession

/// Filters frames with libavfilter, using only the filters that a frame needs. A frame that needs none passes without a
/// copy.
///
/// If the source changes size, format or interlacing mid-stream, the graph is rebuilt and the output format stays the
/// same.
///
/// Unchecked: by contract, only one thread calls it at a time.
final class SoftwareFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    /// The user's filters, which are the last ones here; nil for the whole configuration.
    private let custom: CustomFilters?
    private var graph: FilterGraph?
    /// The format that the graph was built for, or that needs no graph.
    private var input: FrameFormat?
    /// Whether the graph's input has ended and its remaining frames are being output.
    private var isDraining = false
    /// The latest frame, not yet sent to the graph.
    private var waiting: (frame: Frame, shape: FrameFormat)?
    private var isAtEnd = false
    private var durations: FrameDurations
    /// The end time of the latest frame, in ticks of its own time base.
    private var inputEnd: Int64?

    /// - Parameter custom: The last filters to apply; nil for all of the configuration.
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
            // A graph is drained first if it does not fit the frame, or if there are no more frames.
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

    /// Whether the current graph, or the lack of one, fits this format.
    private func fits(_ shape: FrameFormat) -> Bool { input?.accepts(shape) ?? false }

    /// Returns the next filtered frame; nil if the graph needs input, or there is no graph.
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

    /// - Returns: the frame itself if it needs no filters.
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
        // At another rate, that rate determines the durations.
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
    /// A deinterlacer keeps its graph when the interlaced flag comes and goes, because it needs the preceding frames.
    fileprivate func ignoringMarks(of shape: FrameFormat) -> FrameFormat {
        guard isDeinterlacing(shape) else { return shape }
        var same = shape
        same.isInterlaced = true
        return same
    }
}

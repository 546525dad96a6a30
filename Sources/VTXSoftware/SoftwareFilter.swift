import VTXFFmpeg
import VTXMedia
import VTXSession

/// libavfilter's filters, as few as a frame needs. A frame that needs none passes without a copy.
///
/// The source may change in the middle (size, format, interlacing); the output never does: the graph is built
/// anew for frames that the present one does not fit.
///
/// Unchecked: one thread at a time calls it, as the contract says.
final class SoftwareFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    private var graph: FilterGraph?
    private var input: FrameShape?
    private var ready: [Frame] = []
    private var durations: DurationMemory
    /// Where the last frame that came in ends, in ticks of its own time base.
    private var inputEnd: Int64?
    private var isAtEnd = false

    init(_ configuration: FilterConfiguration) {
        self.configuration = configuration
        let rate = configuration.frameRate ?? configuration.sourceFrameRate
        durations = DurationMemory(
            frameDuration: MediaTime.rescale(1, from: rate.reciprocal, to: configuration.timeBase))
    }

    func send(_ frame: Frame?) throws(SessionError) {
        do {
            guard let frame else { return try finish() }
            try take(frame)
        } catch {
            throw SessionError(error, while: "filtering", else: .unsupportedFormat)
        }
    }

    func receive() throws(SessionError) -> CodecOutput<Frame> {
        if !ready.isEmpty { return .unit(ready.removeFirst()) }
        return isAtEnd ? .endOfStream : .needsInput
    }

    private func take(_ frame: Frame) throws(FFmpegError) {
        let arriving = FrameShape(frame)
        if input.map({ !$0.covers(arriving) }) ?? true {
            try closeGraph()
            input = arriving
            try openGraph(for: frame, arriving)
        }
        guard let graph else {
            frame.rescale(to: configuration.timeBase)
            return ready.append(frame)
        }
        note(frame)
        try graph.send(frame)
        try collect(from: graph)
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

    private func openGraph(for frame: Frame, _ input: FrameShape) throws(FFmpegError) {
        let chain = FilterChain.describe(configuration, for: input)
        guard !chain.isEmpty else { return }
        graph = try FilterGraph(
            videoLike: frame, frameRate: configuration.sourceFrameRate, chain: chain.joined(separator: ","))
    }

    private func closeGraph() throws(FFmpegError) {
        guard let graph else { return }
        try graph.end(at: inputEnd)
        try collect(from: graph)
        self.graph = nil
    }

    private func finish() throws(FFmpegError) {
        try closeGraph()
        isAtEnd = true
    }

    private func collect(from graph: FilterGraph) throws(FFmpegError) {
        while case .unit(let frame) = try graph.receive() {
            frame.rescale(to: configuration.timeBase)
            if let pts = frame.pts { frame.duration = durations.take(pts: pts) }
            ready.append(frame)
        }
    }
}

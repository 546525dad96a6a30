package import VTXFFmpeg
package import VTXMedia

/// Converts the frame rate by duplicating and dropping frames, as libavfilter's `fps` does. The images are not touched,
/// so they may stay on their surfaces.
///
/// Unchecked: called by one thread at a time, as the contract requires.
package final class FrameRateFilter: VideoFilter, @unchecked Sendable {
    private let configuration: FilterConfiguration
    private let frameDuration: Int64
    private var graph: FilterGraph?
    private var end: Int64?
    private var isAtEnd = false

    package init(_ configuration: FilterConfiguration) {
        self.configuration = configuration
        let rate = configuration.frameRate ?? configuration.sourceFrameRate
        frameDuration = MediaTime.rescale(1, from: rate.reciprocal, to: configuration.timeBase)
    }

    package func send(_ frame: Frame?) throws(SessionError) {
        do {
            guard let frame else {
                isAtEnd = true
                try graph?.end(at: end)
                return
            }
            if graph == nil {
                let rate = configuration.frameRate ?? configuration.sourceFrameRate
                graph = try FilterGraph(
                    videoLike: frame, frameRate: configuration.sourceFrameRate, chain: "fps=\(rate)")
            }
            end = frame.pts.map { $0 + frame.duration }
            try graph?.send(frame)
        } catch {
            throw SessionError(error, while: "changing the frame rate", else: .unsupportedFormat)
        }
    }

    package func receive() throws(SessionError) -> CodecOutput<Frame> {
        guard let graph else { return isAtEnd ? .endOfStream : .needsInput }
        do {
            let output = try graph.receive()
            if case .unit(let frame) = output {
                frame.rescale(to: configuration.timeBase)
                frame.duration = frameDuration
            }
            return output
        } catch {
            throw SessionError(error, while: "changing the frame rate", else: .unsupportedFormat)
        }
    }
}

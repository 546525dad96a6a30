import VTXFFmpeg
import VTXMedia
import VTXSession

extension VideoSession {
    /// Frames as a test can look at them: in memory, with each plane for itself (`nv12` becomes `yuv420p`).
    func readable(_ frames: [Frame]) throws -> [Frame] {
        let download = try makeDownload()
        return try frames.map { frame in
            try download.send(frame)
            guard case .unit(let picture) = try download.receive() else {
                throw ConformanceError("a frame does not come back from the device")
            }
            return try picture.planar()
        }
    }
}

extension Frame {
    private static let planarNames = ["nv12": "yuv420p", "p010le": "yuv420p10le"]

    fileprivate func planar() throws -> Frame {
        guard let name = Self.planarNames[pixelFormat.name] else { return self }
        let (unit, duration, color) = (timeBase, duration, color)
        // Said on both sides, or swscale guesses, and converts.
        let range = color.isFullRange == true ? "pc" : "tv"
        let graph = try FilterGraph(
            videoLike: self, frameRate: Rational(0, 1),
            chain: "scale=in_range=\(range):out_range=\(range),format=\(name)")
        try graph.send(self)
        guard case .unit(let frame) = try graph.receive() else {
            throw ConformanceError("no \(name) of a frame")
        }
        frame.rescale(to: unit)
        frame.duration = duration
        frame.color = color
        return frame
    }
}

/// What a check cannot go on without.
struct ConformanceError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

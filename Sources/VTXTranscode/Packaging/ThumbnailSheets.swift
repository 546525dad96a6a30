import VTXFFmpeg
import VTXMedia
import VTXTask

/// Draws the small pictures of a ladder's video: key frames of a rendition's file, several on a sheet.
struct ThumbnailSheets {
    private let layout: ThumbnailLayout
    private let demuxer: Demuxer
    private let video: InputStream
    private let decoder: DecoderContext
    private var graph: FilterGraph?
    private var drawn: Int64 = 0

    /// - Parameter path: of the rendition.
    init(_ layout: ThumbnailLayout, of path: String) throws(FFmpegError) {
        self.layout = layout
        demuxer = try Demuxer(path: path, format: Container.mp4.muxerName)
        guard let stream = demuxer.streams.first else { throw FFmpegError("avformat_find_stream_info", -1) }
        (video, decoder) = (stream, try DecoderContext(stream))
    }

    /// Each sheet as JPEG, in their order.
    mutating func draw(shouldStop: () -> Bool, _ take: (Int, [UInt8]) throws -> Void) throws {
        var (keyFrames, sheets) = (0, 0)
        func takeAll() throws {
            while let graph, case .unit(let sheet) = try graph.receive() {
                sheets += 1
                if let jpeg = try JPEG.encode(sheet) { try take(sheets, jpeg) }
            }
        }
        while let packet = try demuxer.read(), !shouldStop() {
            guard packet.isKeyFrame else { continue }
            defer { keyFrames += 1 }
            guard keyFrames % layout.step == 0, let frame = try decode(packet) else { continue }
            try add(frame)
            try takeAll()
        }
        try graph?.send(nil)
        try takeAll()
    }

    /// Alone: a key frame needs no other.
    private func decode(_ packet: Packet) throws(FFmpegError) -> Frame? {
        defer { decoder.reset() }
        try decoder.send(packet)
        try decoder.send(nil)
        guard case .unit(let frame) = try decoder.receive() else { return nil }
        return frame
    }

    private mutating func add(_ frame: Frame) throws(FFmpegError) {
        let still = try frame.reference()
        still.setTimes(pts: drawn, duration: 1, timeBase: Rational(1, 1))
        drawn += 1
        if graph == nil { graph = try FilterGraph(videoLike: still, frameRate: Rational(1, 1), chain: chain(still)) }
        try graph?.send(still)
    }

    private func chain(_ frame: Frame) -> String {
        let matrix = [1: "bt709", 9: "bt2020"][frame.color.filled(from: video.color).matrix] ?? "bt601"
        let scale =
            "scale=\(layout.size.width):\(layout.size.height):flags=bicubic:in_color_matrix=\(matrix)"
            + ":out_range=pc:out_color_matrix=bt601,setsar=1,format=yuvj420p"
        return "\(scale),tile=\(ThumbnailLayout.side)x\(ThumbnailLayout.side)"
    }
}

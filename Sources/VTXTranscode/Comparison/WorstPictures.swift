import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// The pairs of frames with the largest difference, at most one per second because adjacent frames are similar. They
/// are collected during a comparison and drawn into one image: a row per pair, with the original on the left.
struct WorstPictures {
    /// The worst pair first.
    private(set) var pairs: [Pair] = []

    /// The number of rows of the image.
    private static let count = 4

    struct Pair {
        var place: MetricStatistics.WorstFrame
        var original: Frame
        var output: Frame

        fileprivate var second: Int { Int(place.seconds) }
    }

    /// Keeps the pair if it is among the worst so far.
    mutating func note(_ pair: Pair) {
        if let rival = pairs.firstIndex(where: { $0.second == pair.second }) {
            guard pairs[rival].place.value > pair.place.value else { return }
            pairs.remove(at: rival)
        }
        let place = pairs.firstIndex { $0.place.value > pair.place.value } ?? pairs.endIndex
        pairs.insert(pair, at: place)
        pairs = Array(pairs.prefix(Self.count))
    }

    /// - Returns: the image as PNG; nil if there is no pair.
    func png() throws(FFmpegError) -> [UInt8]? {
        guard !pairs.isEmpty else { return nil }
        let pictures = try pairs.flatMap { [$0.original, $0.output] }.map { frame throws(FFmpegError) in
            let still = try frame.reference()
            still.setTimes(pts: 0, duration: 1, timeBase: Rational(1, 25))
            return still
        }
        let graph = try FilterGraph(videoLike: pictures, chain: chain)
        for (input, picture) in pictures.enumerated() {
            try graph.send(picture, to: input)
            try graph.send(nil, to: input)
        }
        guard case .unit(let sheet) = try graph.receive() else { return nil }
        return try Self.encoded(sheet)
    }

    /// Converts each frame to RGB by its own matrix and range, which a row of two does not have.
    private var chain: String {
        let pictures = (0..<2 * pairs.count).map { "[in\($0)]format=\(PixelFormat.rgb24.name)[rgb\($0)]" }
        let rows = pairs.indices.map { "[rgb\(2 * $0)][rgb\(2 * $0 + 1)]hstack" }
        guard rows.count > 1 else { return (pictures + rows).joined(separator: ";") }
        let named = rows.enumerated().map { "\($1)[row\($0)]" }
        let all = rows.indices.map { "[row\($0)]" }.joined()
        return (pictures + named + ["\(all)vstack=inputs=\(rows.count)"]).joined(separator: ";")
    }

    private static func encoded(_ picture: Frame) throws(FFmpegError) -> [UInt8]? {
        let encoder = try EncoderContext(
            video: VideoEncoderSettings(
                codecName: "png", size: picture.size, pixelFormat: .rgb24, timeBase: picture.timeBase,
                frameRate: Rational(25, 1), maxKeyFrameInterval: 1, usesGlobalHeader: false))
        try encoder.send(picture)
        try encoder.send(nil)
        guard case .unit(let packet) = try encoder.receive() else { return nil }
        return Array(packet.bytes)
    }
}

extension ComparisonJob {
    /// Writes the image to the requested file.
    func write(_ worst: WorstPictures) throws(TranscodeError) {
        guard let picture else { return }
        let png: [UInt8]?
        do throws(FFmpegError) { png = try worst.png() } catch {
            throw TranscodeError(.software, "the worst pictures cannot be drawn: \(error)").caused(by: "\(error)")
        }
        guard let png else { return }
        try reportingOutputErrors { () throws(AtomicFileError) in
            try AtomicFile.write(png, to: picture, replaces: replacesPicture)
        }
    }
}

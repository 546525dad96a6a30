import VTXMedia
import VTXTask

/// Chooses the renditions of a ladder for a video, the largest first. Pure.
struct LadderRenditions: Sendable, Hashable {
    /// The properties of the source.
    struct Video: Sendable, Hashable {
        /// The display size in square pixels.
        var size: PixelSize
        /// In frames per second.
        var rate: Double
        /// The bit rate that the source would have in the renditions' codec, in bits per second; 0 if unknown.
        var bitrate: Int
        /// The codec of the renditions.
        var codec: VideoCodec
    }

    struct Rendition: Sendable, Hashable {
        var height: Int
        var size: PixelSize
        /// The average bit rate, in bits per second.
        var bitrate: Int
        var name: String
        var reason: Message
    }

    var renditions: [Rendition] = []
    /// The requested renditions that are larger than the source.
    var larger: [LadderRequest.Rendition] = []

    /// For H.264 at up to 30 frames per second, 16:9.
    private static let table: [(height: Int, bitrate: Int)] = [
        (2160, 16_000_000), (1440, 9_000_000), (1080, 5_000_000), (720, 3_000_000), (480, 1_200_000), (360, 700_000),
        (240, 350_000), (144, 150_000),
    ]
    /// The minimum ratio between the bit rates of two renditions. A rendition in between would need about as much as
    /// the larger one and look no better than the smaller one.
    private static let step = 1.4
    /// The minimum as a fraction of the usual bit rate. A still picture, such as a slide, needs few bits on average, but
    /// many at once.
    private static let minimum = 0.125
    /// The fraction of the source's height above which a height counts as the source's.
    private static let nearest = 0.85

    init(_ request: LadderRequest, of video: Video) {
        switch request {
        case .auto: renditions = Self.automatic(video)
        case .list(let asked):
            larger = asked.filter { $0.height > video.height }
            renditions = asked.filter { $0.height <= video.height }.map {
                Rendition(
                    height: $0.height, size: video.size(fitting: $0.height), bitrate: $0.bitrate, name: "\($0.height)p",
                    reason: "requested")
            }
        }
        nameApart()
    }

    /// Returns the source's own size and the smaller sizes of the table, each with a clearly lower bit rate than the
    /// previous one.
    private static func automatic(_ video: Video) -> [Rendition] {
        let top = min(video.height, table[0].height)
        let heights = [top] + table.map(\.height).filter { Double($0) <= Double(top) * nearest && $0 > 144 }
        var chosen: [Rendition] = []
        for height in heights {
            let usual = bitrate(height, video)
            let (bitrate, rate) = limited(usual, to: video.bitrate)
            if let above = chosen.last, Double(bitrate) * step > Double(above.bitrate) { continue }
            let reason: Message = rate ?? (height == top ? "as large as the source" : "the usual bit rate")
            chosen.append(
                Rendition(
                    height: height, size: video.size(fitting: height), bitrate: bitrate, name: "\(height)p",
                    reason: reason))
        }
        return chosen
    }

    /// - Parameter source: The bit rate of the source; 0 if unknown.
    /// - Returns: the bit rate, and why it is not the usual one.
    private static func limited(_ usual: Int, to source: Int) -> (bitrate: Int, reason: Message?) {
        guard source > 0, usual > source else { return (usual, nil) }
        let least = Int(Double(usual) * minimum)
        return source < least
            ? (least, "the minimum, an eighth of the usual bit rate") : (source, "no more bits than the source has")
    }

    /// Returns a bit rate from the table, adjusted for aspect ratio, frame rate and codec, in steps of 10 kb/s.
    private static func bitrate(_ height: Int, _ video: Video) -> Int {
        let size = video.size(fitting: height)
        let shape = Double(size.width * size.height) / (Double(height * height) * 16 / 9)
        let rate = max(1, video.rate / 30).squareRoot()
        let bits = Double(usual(height)) * min(1, shape) * rate * relativeBitrate(video.codec.rawValue)
        return max(1, Int((bits / 10_000).rounded())) * 10_000
    }

    /// Returns the bit rate that a codec needs for the quality of H.264, as a fraction of H.264's.
    static func relativeBitrate(_ codecName: String) -> Double {
        ["hevc", "av1", "vp9"].contains(codecName) ? 0.6 : 1
    }

    /// Interpolates between two rows of the table.
    private static func usual(_ height: Int) -> Int {
        guard let below = table.first(where: { $0.height <= height }) else {
            return table[table.count - 1].bitrate * height / table[table.count - 1].height
        }
        guard let above = table.last(where: { $0.height > height }) else { return below.bitrate }
        let share = Double(height - below.height) / Double(above.height - below.height)
        return below.bitrate + Int(share * Double(above.bitrate - below.bitrate))
    }

    /// Adds the bit rate to the names of renditions of the same height.
    private mutating func nameApart() {
        for index in renditions.indices {
            let rendition = renditions[index]
            guard renditions.count(where: { $0.height == rendition.height }) > 1 else { continue }
            renditions[index].name = "\(rendition.height)p-\(rendition.bitrate / 1000)k"
        }
    }
}

extension LadderRenditions.Video {
    /// The height of the 16:9 frame, landscape or portrait, into which it fits.
    var height: Int {
        let (long, short) = (max(size.width, size.height), min(size.width, size.height))
        // 854x480 is one of 480.
        return max(short, long * 9 / 16)
    }

    /// Returns a size with even sides.
    func size(fitting height: Int) -> PixelSize {
        let scale = min(1, Double(height) / Double(max(1, self.height)))
        guard scale < 1 else { return PixelSize(max(2, size.width & ~1), max(2, size.height & ~1)) }
        func side(_ length: Int) -> Int { max(2, Int((Double(length) * scale / 2).rounded()) * 2) }
        return PixelSize(side(size.width), side(size.height))
    }
}

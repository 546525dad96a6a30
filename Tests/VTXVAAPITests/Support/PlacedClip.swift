import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

/// A short clip of one kind and size, and its target.
struct PlacedClip: Sendable, CustomTestStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        case eightBit
        case fullRange
        case main10
        case high10
        case chroma422
        case chroma444
    }

    var kind: Kind
    var size: PixelSize
    /// nil keeps the size.
    var target: PixelSize?

    static let frameCount = 5
    /// Aligned to macroblocks, not aligned, with odd sides, encoders' minimum, below it, and above the driver's
    /// maximum.
    static let sizes = [
        PixelSize(128, 64), PixelSize(98, 70), PixelSize(97, 71), PixelSize(16, 16), PixelSize(2, 2),
        PixelSize(4112, 16),
    ]

    static func all(of kind: Kind) -> [PlacedClip] {
        // Formats that no GPU supports are tested separately from sizes.
        (isForGPUs(kind) ? sizes : [PixelSize(128, 64), PixelSize(97, 71)]).flatMap { size in
            [nil, PixelSize(112, 66)].map { PlacedClip(kind: kind, size: size, target: $0) }
        }
    }

    private static func isForGPUs(_ kind: Kind) -> Bool { kind == .eightBit || kind == .fullRange || kind == .main10 }

    /// Whether a GPU must run all its stages.
    var isEasy: Bool { Self.isForGPUs(kind) && size.width <= 128 && size.width % 2 == 0 && size.height >= 64 }

    var testDescription: String { "\(kind.rawValue) \(size) \(target.map { "to \($0)" } ?? "")" }

    var codec: VideoCodec { kind == .main10 ? .hevc : .h264 }

    /// Below an encoder's minimum.
    var isTooSmall: Bool {
        let least = codec == .hevc ? 64 : 16
        let size = target ?? size
        return size.width < least || size.height < least
    }

    var color: ColorDescription { ColorDescription(isFullRange: kind == .fullRange) }

    private var pixelFormat: String {
        switch kind {
        case .eightBit, .fullRange: "yuv420p"
        case .main10, .high10: "yuv420p10le"
        case .chroma422: "yuv422p"
        case .chroma444: "yuv444p"
        }
    }

    /// Smooth: scalers differ at edges.
    var recipe: VideoRecipe {
        // x264 and x265 accept no odd sides at 4:2:0, and no tiny sizes.
        let isPlain = size.width % 2 == 0 && size.width >= (kind == .main10 ? 64 : 16)
        return VideoRecipe {
            $0.picture = "gradients=seed=7:speed=0.00001:nb_colors=2:c0=gold:c1=navy"
            $0.size = size
            $0.pixelFormat = pixelFormat
            $0.color = color
            $0.frameCount = Self.frameCount
            $0.encoder = !isPlain || size.height < 16 ? "ffv1" : kind == .main10 ? "libx265" : "libx264"
            $0.options = $0.encoder == "ffv1" ? [] : [("preset", "ultrafast"), ("crf", "4")]
            if $0.encoder == "libx265" { $0.options.append(("x265-params", "log-level=error")) }
        }
    }

    func request(from input: String, to output: String) -> TranscodeRequest {
        var request = TranscodeRequest(input: input, output: output)
        request.codec = codec
        request.preset = .fast
        request.rateControl = Quality(90).map { .quality($0) }
        request.size = target.map { SizeRequest($0.width, $0.height) }
        request.scaling = .fill
        return request
    }

    /// The expected frames, before coding loss.
    func expected(as encoder: EncoderConfiguration) throws -> [Frame] {
        let range = kind == .fullRange ? "pc" : "tv"
        let fitted =
            target == nil
            ? "crop=\(encoder.size.width):\(encoder.size.height):0:0:exact=1"
            : "scale=\(encoder.size.width):\(encoder.size.height):flags=bicubic:in_range=\(range):out_range=\(range)"
        let format = "scale=in_range=\(range):out_range=\(range),format=\(encoder.pixelFormat.name)"
        return try recipe.makeFrames().map { frame in
            let graph = try FilterGraph(videoLike: frame, frameRate: Rational(25, 1), chain: "\(fitted),\(format)")
            try graph.send(frame)
            guard case .unit(let fitted) = try graph.receive() else { throw RecipeError("no \(encoder.size)") }
            return fitted
        }
    }
}

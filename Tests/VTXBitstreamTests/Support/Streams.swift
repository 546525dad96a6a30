import Testing
import VTXBitstream
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTestMedia

/// Streams with different parameter sets.
struct StreamCase: Sendable, CustomTestStringConvertible {
    var codec: NALCodec
    var name: String
    var recipe: VideoRecipe

    var testDescription: String { "\(codec) \(name)" }

    private init(_ codec: NALCodec, _ name: String, _ change: (inout VideoRecipe) -> Void) {
        self.codec = codec
        self.name = name
        recipe = VideoRecipe {
            $0.size = PixelSize(144, 96)
            $0.frameCount = 6
            $0.encoder = codec == .h264 ? "libx264" : "libx265"
            change(&$0)
        }
    }

    /// x264's options, as `key=value:key=value`.
    private static func x264(
        _ options: String, _ name: String? = nil, _ change: (inout VideoRecipe) -> Void = { _ in }
    ) -> StreamCase {
        StreamCase(.h264, name ?? options) {
            $0.options = [("preset", "veryfast"), ("x264-params", options)]
            change(&$0)
        }
    }

    private static func x265(
        _ options: String, _ name: String? = nil, _ change: (inout VideoRecipe) -> Void = { _ in }
    ) -> StreamCase {
        StreamCase(.hevc, name ?? options) {
            $0.options = [
                ("preset", "ultrafast"), ("x265-params", "log-level=error:pools=none:frame-threads=1:" + options),
            ]
            change(&$0)
        }
    }

    private static let pq = ColorDescription(
        primaries: 9, transfer: 16, matrix: 9, isFullRange: false, chromaLocation: 2)

    static let h264: [StreamCase] = [
        x264("bframes=3"), x264("bframes=0"), x264("bframes=5:b-pyramid=normal:ref=4"), x264("keyint=3:min-keyint=1"),
        x264("cabac=0:bframes=0:8x8dct=0:weightp=0", "baseline") { $0.options.append(("profile", "baseline")) },
        x264("", "main") { $0.options.append(("profile", "main")) },
        x264("interlaced=1"), x264("bff=1:bframes=2"), x264("fake-interlaced=1"), x264("pic-struct=1"),
        x264("nal-hrd=vbr:vbv-maxrate=500:vbv-bufsize=500"),
        x264("nal-hrd=cbr:bitrate=500:vbv-maxrate=500:vbv-bufsize=500"),
        x264("sliced-threads=1:slices=3"), x264("aud=1"), x264("cqm=jvt"), x264("cqm4=12:cqm8=20"),
        x264("overscan=show:videoformat=pal"), x264("level=5.2"),
        x264("level=1b:bframes=0:ref=1") { $0.size = PixelSize(64, 64) },
        x264("constrained-intra=1:deblock=-1,1"), x264("force-cfr=1"), x264("qp=0", "lossless"),
        x264("open-gop=1:keyint=4"),
        x264("crop-rect=2,4,6,8"), x264("frame-packing=3"), x264("sps-id=7"), x264("stitchable=1"),
        x264("intra-refresh=1"),
        x264("", "odd sides") { $0.size = PixelSize(150, 98) },
        x264("", "4:2:2") {
            $0.pixelFormat = "yuv422p"; $0.size = PixelSize(150, 97)
        },
        x264("", "4:4:4") {
            $0.pixelFormat = "yuv444p"; $0.size = PixelSize(149, 97)
        },
        x264("cqm=jvt", "4:4:4 with scaling lists") { $0.pixelFormat = "yuv444p" },
        x264("", "10 bits") { $0.pixelFormat = "yuv420p10le" },
        x264("", "4:2:2, 10 bits") { $0.pixelFormat = "yuv422p10le" },
        x264("", "monochrome") { $0.pixelFormat = "gray" },
        x264("", "sample aspect ratio 16:11") { $0.sampleAspectRatio = Rational(16, 11) },
        x264("", "sample aspect ratio 1001:1000") { $0.sampleAspectRatio = Rational(1001, 1000) },
        x264("", "BT.709, limited") {
            $0.color = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false, chromaLocation: 0)
        },
        x264("", "full range") { $0.color = ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true) },
        x264("", "PQ") {
            $0.color = pq; $0.pixelFormat = "yuv420p10le"
        },
        x264("", "29.97 frames a second") { $0.frameRate = Rational(30000, 1001) },
    ]

    /// All with the same block sizes: libx265 keeps them in global variables.
    static let hevc: [StreamCase] = [
        x265("bframes=3"), x265("bframes=0"), x265("bframes=4:b-adapt=0:ref=4"),
        x265("keyint=3:min-keyint=1:open-gop=0"),
        x265("open-gop=1:keyint=4:min-keyint=4:scenecut=0:bframes=2"),
        x265("hrd=1:vbv-maxrate=500:vbv-bufsize=500:bitrate=400"), x265("aud=1"), x265("wpp=0"),
        x265("scaling-list=default"), x265(""), x265("ctu=64:min-cu-size=16"),
        x265("temporal-layers=3:b-adapt=0:bframes=3"),
        x265("amp=1:rect=1"), x265("no-sao=1"), x265("lossless=1"), x265("cu-lossless=1:tskip=1"), x265("weightb=1"),
        x265("level-idc=5.1:high-tier=1"), x265("field=1:bframes=0"), x265("max-cll=1000,400"),
        x265("repeat-headers=1:keyint=2"),
        x265("constrained-intra=1"), x265("deblock=-2,-2"), x265("overscan=show:videoformat=pal"),
        x265("opt-ref-list-length-pps=1"),
        x265("display-window=2,2,4,4:sar=1"), x265("max-tu-size=16"),
        x265("strong-intra-smoothing=1:tu-intra-depth=3:tu-inter-depth=3"),
        x265("", "odd sides") { $0.size = PixelSize(150, 98) },
        x265("", "4:2:2") {
            $0.pixelFormat = "yuv422p"; $0.size = PixelSize(150, 97)
        },
        x265("", "4:4:4") {
            $0.pixelFormat = "yuv444p"; $0.size = PixelSize(149, 97)
        },
        x265("", "10 bits") { $0.pixelFormat = "yuv420p10le" },
        x265("", "4:2:2, 10 bits") { $0.pixelFormat = "yuv422p10le" },
        x265("", "4:4:4, 12 bits") { $0.pixelFormat = "yuv444p12le" },
        x265("", "monochrome") { $0.pixelFormat = "gray" },
        x265("", "sample aspect ratio 16:11") { $0.sampleAspectRatio = Rational(16, 11) },
        x265("", "sample aspect ratio 1001:1000") { $0.sampleAspectRatio = Rational(1001, 1000) },
        x265("", "BT.709, limited") {
            $0.color = ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
        },
        x265("", "full range") { $0.color = ColorDescription(primaries: 5, transfer: 6, matrix: 5, isFullRange: true) },
        x265("chromaloc=2", "PQ") {
            $0.color = pq; $0.pixelFormat = "yuv420p10le"
        },
        x265("", "29.97 frames a second") { $0.frameRate = Rational(30000, 1001) },
    ]

    static let all = h264 + hevc
}

/// An encoded stream: every packet with start codes.
struct CodedStream: Sendable {
    var codec: NALCodec
    var packets: [[UInt8]]
    /// Presentation times in decoding order.
    var times: [Int64]

    init(_ test: StreamCase) throws {
        self = try Self.made.withLock { made in
            let key = "\(test.testDescription) \(test.recipe.size) \(test.recipe.frameCount)"
            let stream = try made[key] ?? CodedStream(encoding: test)
            made[key] = stream
            return stream
        }
    }

    /// Several tests share the streams. The lock also keeps libx265 from opening two encoders at once.
    private static let made = Locked<[String: CodedStream]>([:])

    /// Runs an encoder while no other test of this module does.
    static func exclusively<Result>(_ body: () throws -> Result) throws -> Result {
        try made.withLock { _ in try body() }
    }

    private init(encoding test: StreamCase) throws {
        codec = test.codec
        let stream = try test.recipe.encode(globalHeader: false)
        packets = stream.packets.map { Array($0.bytes) }
        times = stream.packets.map { $0.pts ?? 0 }
    }

    var bytes: [UInt8] { Array(packets.joined()) }

    /// The NAL units, without start codes.
    func units(where isIncluded: (NALUnit) -> Bool) -> [[UInt8]] {
        let bytes = bytes
        return AnnexB.units(in: bytes, codec: codec).filter(isIncluded).map { bytes.bytes(of: $0) }
    }

    /// The elementary stream's parameters from libavformat and libavcodec.
    func inspected() throws -> InputStream {
        let directory = try TemporaryDirectory()
        let path = directory.file(codec == .h264 ? "a.h264" : "a.hevc")
        try Files.write(bytes, to: path)
        guard let stream = try MediaFile(path).video else { throw RecipeError("no video stream") }
        return stream
    }
}

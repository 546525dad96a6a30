import Testing
import VTX
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("A target size")
struct TargetSizeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Noise takes as many bits as it gets.
    private static let movie = MovieRecipe(
        VideoRecipe {
            $0.filters = "noise=alls=40:allf=t"
            $0.frameCount = 100
        },
        AudioRecipe {
            $0.encoder = "ac3"
            $0.bitrate = 64_000
            $0.seconds = 4
        })

    struct Demand: Sendable, CustomTestStringConvertible {
        var codec: VideoCodec
        var pathExtension: String
        var bytes: Int
        var testDescription: String { "\(codec) in .\(pathExtension), \(bytes) bytes" }
    }

    @Test(
        "is at most as large, and at most 1 % smaller",
        arguments: [
            Demand(codec: .h264, pathExtension: "mp4", bytes: 200_000),
            Demand(codec: .h264, pathExtension: "ts", bytes: 300_000),
            Demand(codec: .hevc, pathExtension: "mkv", bytes: 200_000),
            Demand(codec: .av1, pathExtension: "mp4", bytes: 200_000),
        ])
    func reached(demand: Demand) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.\(demand.pathExtension)"))
        try Self.movie.write(to: input)
        let run = try result(input, output) { ($0.codec, $0.targetSize) = (demand.codec, demand.bytes) }
        let bytes = Int(FileStatus(output)?.byteCount ?? 0)
        // SVT-AV1's rates have steps, and its runs differ.
        let least = demand.bytes * (demand.codec == .av1 ? 75 : 99) / 100
        #expect((least...demand.bytes).contains(bytes))
        #expect(run.notices.map(\.code).contains("rate.found"))
        let decoded = try Decoded(output)
        #expect(decoded.errors == 0 && decoded.frames.count == 100 && directory.names.count == 2)
    }

    /// There may be several plans: one for each output.
    private func result(
        _ input: String, _ output: String, _ change: (inout TranscodeRequest) -> Void
    ) throws -> (result: TranscodeResult, notices: [Notice]) {
        var request = TranscodeRequest(input: input, output: output)
        request.preset = .fast
        change(&request)
        let notices = Locked<[Notice]>([])
        let result = try Run.job(request) { event in
            if case .notice(let notice) = event { notices.withLock { $0.append(notice) } }
        }
        .run()
        return (result, notices.withLock { $0 })
    }

    @Test("below the audio's size is an error, and leaves nothing")
    func unreachable() throws {
        let input = directory.file("in.mkv")
        try Self.movie.write(to: input)
        let error = Run.failure(input, to: directory.file("out.mp4")) { $0.targetSize = 20_000 }
        #expect(error?.kind == .targetUnreachable && directory.names == ["in.mkv"])
    }

    @Test("of a range without video is an error of the range, in one pass and two", arguments: [VideoCodec.h264, .av1])
    func emptyRange(codec: VideoCodec) throws {
        let input = directory.file("in.mkv")
        try MovieRecipe(Self.movie.video[0], AudioRecipe { $0.seconds = 8 }).write(to: input)
        let error = Run.failure(input, to: directory.file("out.mp4")) {
            ($0.codec, $0.targetSize, $0.start, $0.duration) = (codec, 200_000, 6, 1)
        }
        #expect(error?.kind == .rangeEmpty && directory.names == ["in.mkv"])
    }

    /// x264 refuses to start, and x265 exceeds the size.
    @Test("below the smallest video's size is an error, and leaves nothing", arguments: [VideoCodec.h264, .hevc])
    func tooSmall(codec: VideoCodec) throws {
        let (input, output) = (directory.file("in.mkv"), directory.file(codec == .h264 ? "out.h264" : "out.h265"))
        try MovieRecipe(Self.movie.video[0]).write(to: input)
        let error = Run.failure(input, to: output) { ($0.codec, $0.targetSize) = (codec, 2500) }
        #expect(error?.kind == .targetUnreachable && directory.names == ["in.mkv"], "\(String(describing: error))")
    }

    @Test("excludes a quality, a bit rate and a target", arguments: [OptionName.quality, .bitrate, .target])
    func conflicts(option: OptionName) throws {
        let values: Settings = [.quality: "70", .bitrate: "5M", .target: "ssim=0.9"]
        let error = #expect(throws: TranscodeError.self) {
            try TranscodeRequest(input: "in.mp4", settings: [.targetSize: "25M", option: try #require(values[option])])
        }
        #expect(error?.kind == .conflict)
    }
}

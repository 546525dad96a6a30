import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Comparing two files")
struct FileComparisonTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func make(
        _ name: String, matrix: DisplayMatrix? = nil, _ change: (inout VideoRecipe) -> Void = { _ in }
    ) throws -> String {
        var video = VideoRecipe {
            ($0.options, $0.frameCount, $0.displayMatrix) = ([("preset", "ultrafast"), ("qp", "10")], 10, matrix)
        }
        change(&video)
        try MovieRecipe(video).write(to: directory.file(name))
        return directory.file(name)
    }

    private func compare(
        _ original: String, _ output: String, cancellation: Cancellation = Cancellation(),
        _ metrics: [QualityMetric] = [.ssim, .psnr], report: @escaping (ComparisonJob.Event) -> Void = { _ in }
    ) throws -> ComparisonReport {
        var job = ComparisonJob(original: original, output: output)
        job.metrics = metrics
        let device = try SoftwareBackend().openSession(on: try #require(SoftwareBackend().probe().first).device)
        return try job.run(on: device, cancellation, report)
    }

    private func refusal(_ original: String, _ output: String, _ metrics: [QualityMetric] = [.ssim]) -> ErrorKind? {
        do {
            _ = try compare(original, output, metrics)
            return nil
        } catch { return (error as? TranscodeError)?.kind }
    }

    private func notices(_ original: String, _ output: String) throws -> [NoticeKind] {
        let found = Locked<[NoticeKind]>([])
        _ = try compare(original, output) { event in
            if case .notice(let notice) = event { found.withLock { $0.append(notice.kind) } }
        }
        return found.withLock(\.self)
    }

    @Test("a cropped picture, and HDR beside SDR, are no fair comparison")
    func doubts() throws {
        let wide = try make("wide.mkv") { $0.size = PixelSize(320, 180) }
        let small = try make("small.mkv") { $0.size = PixelSize(162, 90) }
        let tall = try make("tall.mkv") { $0.size = PixelSize(320, 240) }
        let narrow = try make("narrow.mkv") { ($0.size, $0.sampleAspectRatio) = (PixelSize(240, 180), Rational(4, 3)) }
        #expect(try notices(wide, small).isEmpty && notices(wide, narrow).isEmpty)
        #expect(try notices(wide, tall) == [.compareAspect])
        let hdr = directory.file("hdr.mkv")
        var video = VideoRecipe.hdr10
        (video.size, video.frameCount) = (PixelSize(320, 180), 10)
        try MovieRecipe(video).write(to: hdr)
        #expect(try notices(hdr, wide) == [.compareRange])
    }

    /// A frame with a luma gradient along one side.
    private static func slope(_ place: String, bits: Int = 8) -> String {
        let scale = 1 << (bits - 8)
        return "geq=lum='\(scale)*(40+170*\(place))':cb=\(128 * scale):cr=\(128 * scale)"
    }

    @Test("the worst frame of each second is drawn next to the original", arguments: [1, 60])
    func picture(frames: Int) throws {
        let original = try make("a.mkv") { $0.frameCount = frames }
        let output = try make("b.mkv") {
            ($0.frameCount, $0.options) = (frames, [("preset", "ultrafast"), ("qp", "45")])
        }
        var job = ComparisonJob(original: original, output: output)
        (job.metrics, job.picture) = ([.ssim], directory.file("worst.png"))
        let device = try SoftwareBackend().openSession(on: try #require(SoftwareBackend().probe().first).device)
        var values: [Double] = []
        let report = try job.run(on: device, Cancellation()) {
            if case .frames(let more) = $0 { values += more.compactMap(\.values.ssim) }
        }
        let shown = report.shown
        #expect(shown.map(\.value) == shown.map(\.value).sorted() && shown.first?.value == values.min())
        #expect(shown.allSatisfy { values[$0.frame] == $0.value })
        #expect(Set(shown.map { Int($0.seconds) }).count == shown.count && shown.count == (frames == 1 ? 1 : 3))
        let drawn = try Decoded(directory.file("worst.png"))
        let size = report.original.size
        #expect(
            drawn.frames.count == 1 && drawn.frames.first?.size == PixelSize(2 * size.width, shown.count * size.height))
    }

    @Test("a file equals itself, frame by frame")
    func same() throws {
        let file = try make("a.mkv")
        var frames: [ComparedFrame] = []
        let report = try compare(file, file) { if case .frames(let more) = $0 { frames += more } }
        #expect(report.frames == 10 && report.outcome == .completed && report.original == report.output)
        #expect(report.metrics.map(\.mean) == [1, 100] && report.original.unpairedFrames == 0)
        #expect(
            frames.map(\.frame) == Array(0..<10) && frames.allSatisfy { $0.values.ssim == 1 && $0.values.psnr == 100 })
        #expect(report.original.videoBitrate ?? 0 > 0)
    }

    @Test(
        "a smaller one is scaled, and one with other samples is converted",
        arguments: [("yuv420p", 80), ("yuv444p10le", 160)])
    func scaled(format: String, width: Int) throws {
        let original = try make("a.mkv") { $0.filters = Self.slope("X/W") }
        let output = try make("b.mp4") {
            let slope = Self.slope("X/W", bits: format.hasSuffix("10le") ? 10 : 8)
            ($0.size, $0.pixelFormat, $0.filters) = (
                PixelSize(width, width * 3 / 5), format, "format=\(format),\(slope)"
            )
        }
        let report = try compare(original, output)
        #expect(report.frames == 10)
        #expect(try #require(report.metrics.first).mean > 0.9)
    }

    @Test("frames missing in the other file are counted")
    func unpaired() throws {
        let report = try compare(try make("a.mkv"), try make("b.mkv") { $0.frameCount = 7 })
        #expect(report.frames == 7 && report.original.unpairedFrames == 3 && report.output.unpairedFrames == 0)
        #expect(report.metrics.first?.mean ?? 0 > 0.95)
    }

    @Test("both begin with their first frame, with any start time")
    func shifted() throws {
        let output = directory.file("b.ts")
        let video = VideoRecipe { ($0.options, $0.frameCount) = ([("preset", "ultrafast"), ("qp", "10")], 10) }
        try MovieRecipe(video) { $0.startSeconds = 100 }.write(to: output)
        let report = try compare(try make("a.mkv"), output)
        #expect(report.frames == 10 && report.output.unpairedFrames == 0)
    }

    @Test("a rotated file is compared as displayed, if the other has no rotation matrix")
    func turned() throws {
        let quarter = DisplayMatrix([0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30])
        let original = try make("a.mp4", matrix: quarter) { $0.filters = Self.slope("X/W") }
        let turned = try make("b.mp4") { ($0.size, $0.filters) = (PixelSize(96, 160), Self.slope("Y/H")) }
        let report = try compare(original, turned)
        #expect(report.original.size == PixelSize(96, 160) && report.output.size == PixelSize(96, 160))
        #expect(try #require(report.metrics.first).mean > 0.95)
        #expect(refusal(try make("c.mp4"), turned) == .compareShape)
    }

    @Test("a truncated file is reported")
    func truncated() throws {
        let (original, output) = (try make("a.mkv"), try make("b.mkv"))
        try truncate(output)
        var notices: [Notice] = []
        let report = try compare(original, output) { if case .notice(let notice) = $0 { notices.append(notice) } }
        #expect(report.outcome == .incompleteSource && report.frames < 10)
        #expect(notices.contains { $0.kind == .sourceEndedEarly && "\($0.message)".contains("b.mkv") })
    }

    private func truncate(_ path: String) throws {
        let file = try FileDescriptor(opening: path, 2)
        try file.truncate(to: (file.status?.byteCount ?? 0) / 2)
    }

    @Test("files that cannot be compared have their own error")
    func errors() throws {
        let file = try make("a.mkv")
        let audio = directory.file("audio.mkv")
        try MovieRecipe { $0.audio = [.pcm] }.write(to: audio)
        #expect(refusal(file, directory.file("none.mkv")) == .inputNotFound)
        #expect(refusal(audio, file) == .inputNoVideo)
        if !PictureComparison.isAvailable(.xpsnr) { #expect(refusal(file, file, [.ssim, .xpsnr]) == .targetMetric) }
    }

    @Test("it stops on request")
    func cancelled() throws {
        let (file, cancellation) = (try make("a.mkv"), Cancellation())
        cancellation.cancel(.interrupted)
        #expect(throws: TranscodeError.self) { _ = try compare(file, file, cancellation: cancellation) }
    }
}

import Testing
import VTXMedia
import VTXSystem
import VTXTask
import VTXWorker

@testable import VTXCommand

@Suite("The output of vtx compare")
struct CompareTests {
    private let test = TestConsole()

    private func report() -> ComparisonReport {
        var original = ComparedFile(path: "in.mkv", size: PixelSize(640, 360), pixelFormat: "yuv420p")
        (original.bytes, original.videoBytes, original.seconds) = (2_000_000, 1_900_000, 4)
        (original.frames, original.unpairedFrames) = (101, 1)
        var output = original
        (output.path, output.size, output.videoBytes, output.unpairedFrames) = (
            "out.mp4", PixelSize(320, 180), 50_000, 0
        )
        let worst = MetricStatistics.WorstFrame(value: 0.91, frame: 12, seconds: 0.48)
        return ComparisonReport(
            original: original, output: output, frames: 100,
            metrics: [MetricStatistics(.ssim, mean: 0.98, firstPercentile: 0.92, worst: worst)])
    }

    private func run(_ arguments: String..., notice: Notice? = nil) throws -> ExitCode {
        let settings = try #require(try ArgumentParser.parse(["in.mkv", "out.mp4"] + arguments, by: .compare))
        var frame = ComparedFrame(frame: 12, outputFrame: 11, seconds: 0.48)
        frame.values[.ssim] = 0.91
        var events: [WorkerEvent] = [.answer(.comparedFrames([frame])), .answer(.compared(report()))]
        if let notice { events.insert(.transcode(.notice(notice)), at: 0) }
        let workers = Workers { [events] order, policy, listener throws(TranscodeError) in
            guard case .compare = order.task, policy.endsAtFirstStop else { throw TranscodeError(.internal, "no job") }
            for event in events where !listener.report(event) { break }
            return .success(.done)
        }
        return CompareRun(settings, test.console, workers).run()
    }

    @Test("a table of both files, and a table of the metrics")
    func table() throws {
        #expect(try run() == .success)
        #expect(
            test.output.lines == [
                "         original         output", "file     in.mkv           out.mp4",
                "picture  640x360 yuv420p  320x180 yuv420p", "frames   101              101",
                "size     2.0 MB           2.0 MB", "video    3.8 Mb/s         100.0 kb/s",
                "metric  mean  1st percentile  worst  where", "SSIM    0.98  0.92            0.91   frame 12, 0.48 s",
                "100 frames compared, scaled from 320x180 to 640x360", "without a partner: 1 frame of ORIGINAL",
            ])
        #expect(test.messages.text.isEmpty)
    }

    @Test("records: the frames if requested, the comparison, the result")
    func records() throws {
        let notice = Notice(.sourceDamaged, "words")
        #expect(try run("--json", "--frames", notice: notice) == .success)
        #expect(test.output.lines.count == 4 && test.messages.lines == ["vtx: warning: words"])
        #expect(
            test.output.lines[1]
                == "{\"frame\":12,\"outputFrame\":11,\"seconds\":0.48,\"ssim\":0.91,\"type\":\"comparedFrame\"}")
        #expect(test.output.lines[2].contains("\"mean\":0.98") && test.output.lines[2].contains("\"width\":320"))
        #expect(test.output.lines[3].contains("\"status\":\"completed\"") && test.output.lines[3].contains("words"))
    }

    @Test("without --frames there are no frame records")
    func noFrames() throws {
        #expect(try run("--json") == .success)
        #expect(!test.output.text.contains("comparedFrame"))
    }

    @Test("metrics are repeated options or a comma-separated list")
    func metrics() throws {
        func metrics(_ text: String) throws -> [QualityMetric]? {
            try ArgumentParser.parse(["a", "b", "--metric", text], by: .compare)?.job.metrics
        }
        #expect(try metrics("psnr") == [.psnr])
        #expect(try metrics("xpsnr,ssim") == [.xpsnr, .ssim])
        #expect(try metrics("vmaf") == [.vmaf])
        for wrong in ["", "mos", "ssim,", "ssim,ssim"] {
            #expect(throws: UsageError.self) { _ = try metrics(wrong) }
        }
    }

    @Test(
        "invalid arguments are refused", arguments: [["a"], ["a", "b", "--frames"], ["-", "b"]])
    func usage(arguments: [String]) {
        #expect(Program.run(["compare"] + arguments, on: test.console) == .usage)
    }

    @Test("a chart is written, and replaces another one only if requested")
    func plot() throws {
        let directory = try Directory.makeTemporary("vtx-compare")
        defer { Directory.removeTree(directory) }
        let path = "\(directory)/chart.svg"
        #expect(try run("--plot", path) == .success)
        #expect(FileStatus(path)?.byteCount ?? 0 > 500)
        #expect(try run("--plot", path) == .output)
        #expect(try run("--plot", path, "-y", "--json") == .success)
        #expect(test.output.lines.last?.contains("chart.svg") == true)
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Decisions before the first frame")
struct PlannerTests {
    private let clip: SourceClip

    init() throws { clip = try SourceClip(frames: 25) }

    @Test("planning writes nothing")
    func noFiles() throws {
        _ = try clip.plan()
        #expect(clip.directory.names == ["in.mkv"])
    }

    @Test("without a name the output is next to the input, named by its codec")
    func names() throws {
        let plan = try clip.plan(to: nil).plan
        #expect(plan.output == clip.directory.file("in.h264.mkv") && plan.container == .mkv)
    }

    @Test(
        "key frames are ten seconds apart, or as requested",
        arguments: [
            (nil, 250), (KeyFrameInterval(frames: 10), 10), (KeyFrameInterval(seconds: 2), 50),
            (KeyFrameInterval(frames: 60, seconds: 2), 50),
        ] as [(KeyFrameInterval?, Int)])
    func keyFrames(interval: KeyFrameInterval?, frames: Int) throws {
        let video = try clip.plan { $0.keyFrameInterval = interval }.plan.video
        #expect(video.encoder.maxKeyFrameInterval == frames)
    }

    @Test("Baseline has no B frames, and they can always be disabled")
    func reordering() throws {
        #expect(try clip.plan().plan.video.encoder.allowsFrameReordering)
        #expect(try !clip.plan { $0.profile = .baseline }.plan.video.encoder.allowsFrameReordering)
        #expect(try !clip.plan { $0.allowsBFrames = false }.plan.video.encoder.allowsFrameReordering)
    }

    @Test(
        "parameter sets are where the container requires them",
        arguments: [
            ("out.mp4", true), ("out.mov", true), ("out.mkv", true), ("out.ts", false), ("out.h264", false),
        ])
    func globalHeader(output: String, isGlobal: Bool) throws {
        #expect(try clip.plan(to: output).plan.video.encoder.usesGlobalHeader == isGlobal)
    }

    @Test(
        "the default is constant quality 70, for any source bit rate",
        arguments: [nil, 40_000, 4_000_000])
    func defaultRate(bitrate: Int?) throws {
        let clip = try SourceClip(frames: 25) { $0.bitrate = bitrate }
        for codec in VideoCodec.ofNALUnits {
            let plan = try clip.plan { $0.codec = codec }.plan
            #expect(plan.video.encoder.rateControl == .quality(try #require(Quality(70))))
            let rate = try #require(plan.decisions.first { $0.subject == "rate" })
            #expect(rate.choice == "quality 70 (CRF \(codec == .h264 ? 23 : 26) for \(codec))")
        }
    }

    @Test("if a new size would change players' default colors, the output signals the source's")
    func presumedColor() throws {
        let large = PixelSize(1280, 720)
        let matrix = try clip.plan().plan.video.encoder.color.matrix
        #expect(matrix == ColorDescription.unspecifiedCode)
        let raised = try clip.plan { $0.size = SizeRequest("1280x720") }.plan
        #expect(codes(raised.video.encoder.color) == [6, 6, 6])
        #expect(raised.decisions.first { $0.subject == "colors" }?.choice == "BT.601")
        let untagged = try SourceClip(frames: 2) { $0.size = large }
        let lowered = try untagged.plan { $0.size = SizeRequest("320x180") }.plan.video.encoder.color
        #expect(codes(lowered) == [1, 1, 1])
        #expect(codes(try untagged.plan().plan.video.encoder.color) == [2, 2, 2])
    }

    private func codes(_ color: ColorDescription) -> [Int] { [color.primaries, color.transfer, color.matrix] }

    @Test("a requested rate is used unchanged")
    func askedRates() throws {
        let quality = RateControl.quality(try #require(Quality(70)))
        let rates: [RateControl] = [
            quality, .quality(.standard, max: 2_000_000), .bitrate(average: 1_000_000, max: nil),
            .bitrate(average: 1_000_000, max: 1_500_000),
        ]
        for rate in rates {
            #expect(try clip.plan { $0.rateControl = rate }.plan.video.encoder.rateControl == rate)
        }
    }

    @Test("an average above the limit is reported", arguments: [(700_000, false), (720_000, true)])
    func averageUnderLimit(average: Int, isSaid: Bool) throws {
        let plan = try clip.plan { $0.rateControl = .bitrate(average: average, max: 1_000_000) }.plan
        #expect(plan.notices.contains { $0.code == "rate.average" && $0.message.contains("700 kb/s") } == isSaid)
    }

    @Test("a limit that the encoder exceeded is reported", arguments: [(100, true), (3, false)])
    func excess(byteCount: Int, isSaid: Bool) throws {
        let ledger = OutputLedger(streams: 1)
        for frame in 0..<Int64(50) {
            let bytes = [UInt8](repeating: 0, count: byteCount)
            ledger.noteEncoded(
                try Packet(bytes: bytes, pts: frame, dts: frame - 2, duration: 1, timeBase: Rational(1, 25)))
        }
        #expect(ledger.peakBitrate == 25 * byteCount * 8)
        let notice = WrittenRates.maximumNotice(.quality(.standard, max: 10_000), peak: ledger.peakBitrate)
        #expect((notice != nil) == isSaid && notice?.code ?? "rate.maximum" == "rate.maximum")
        #expect(WrittenRates.maximumNotice(.quality(.standard), peak: ledger.peakBitrate) == nil)
    }

    @Test("an average that the encoder missed is reported for more than a few seconds")
    func average() {
        let rate = RateControl.bitrate(average: 1000, max: nil)
        let notice = WrittenRates.averageNotice(rate, bits: 13_000, seconds: 10)
        #expect(notice?.code == "rate.missed" && notice?.message.contains("1 kb/s") == true)
        #expect(WrittenRates.averageNotice(rate, bits: 12_000, seconds: 10) == nil)
        #expect(WrittenRates.averageNotice(rate, bits: 100_000, seconds: 4.9) == nil)
        #expect(WrittenRates.averageNotice(.quality(.standard), bits: 13_000, seconds: 10) == nil)
    }

    @Test(
        "rates are readable",
        arguments: [
            (5_120_000, "5.12 Mb/s"), (999_000, "999 kb/s"), (1_050_000, "1.05 Mb/s"), (2_000_000, "2 Mb/s"),
            (2_500_000, "2.5 Mb/s"),
        ])
    func megabits(bitrate: Int, text: String) { #expect(RateChoice.megabits(bitrate) == text) }

    @Test(
        "the ffmpeg command quotes names",
        arguments: [
            ("pipe:1.mp4", "file:pipe:1.mp4"), ("-a.mp4", "file:-a.mp4"), ("a/b:c.mp4", "a/b:c.mp4"),
            ("a.mp4", "a.mp4"),
        ])
    func names(path: String, url: String) { #expect(FFmpegCommand.url(path) == url) }

    @Test("each decision has a reason")
    func reasons() throws {
        let decisions = try clip.plan { $0.size = SizeRequest(64, 64) }.plan.decisions
        #expect(!decisions.isEmpty && decisions.allSatisfy { !$0.choice.isEmpty && !$0.reason.isEmpty })
        #expect(Set(["codec", "device", "size", "rate", "profile"]).isSubset(of: Set(decisions.map(\.subject))))
    }

    @Test("the ffmpeg command maps every kept stream")
    func command() throws {
        let plan = try clip.plan().plan
        #expect(plan.ffmpegCommand.count { $0 == "-map" } == 2)
        #expect(plan.ffmpegCommand.contains("-c:1") && plan.ffmpegCommand.contains("fake"))
    }

    @Test("ten bits select Main 10, and HDR is kept")
    func hdr() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("hdr.mkv")
        try MovieRecipe(.hdr10).write(to: path)
        var request = TranscodeRequest(input: path, output: directory.file("out.mkv"))
        request.codec = .hevc
        let encoder = try TranscodePreparation(request, backends: [FakeBackend()]).prepare().plan.video.encoder
        #expect(encoder.profile == .main10 && encoder.pixelFormat.bitDepth == 10)
        #expect(encoder.hdrMetadata == .sample && encoder.color.transfer == 16)
    }
}

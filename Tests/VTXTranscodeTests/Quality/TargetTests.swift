import Testing
import VTXFFmpeg
import VTXMedia
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("A quality target")
struct TargetTests {
    private let clip: SourceClip

    init() throws {
        clip = try SourceClip(frames: 40) { $0.filters = "noise=alls=8:allf=t" }
    }

    private func job(
        _ target: QualityTarget, _ change: (inout TranscodeRequest) -> Void = { _ in },
        cancellation: Cancellation = Cancellation(), report: @escaping @Sendable (TranscodeEvent) -> Void = { _ in }
    ) -> TranscodeJob {
        let request = clip.request {
            ($0.codec, $0.preset, $0.target) = (.h264, .fast, target)
            change(&$0)
        }
        return TranscodeJob(
            request, backends: [SoftwareBackend()], cancellation: cancellation, report: report)
    }

    private static func quality(_ plan: TranscodePlan) -> Double? {
        guard case .quality(let quality, _) = plan.video.encoder.rateControl else { return nil }
        return quality.value
    }

    /// The metric of the output against the source, over every frame.
    private func measured(_ metric: QualityMetric) throws -> Double {
        let comparison = PictureComparison(metric)
        let (output, source) = (try Decoded(clip.directory.file("out.mkv")).frames, try Decoded(clip.path).frames)
        try #require(output.count == source.count)
        for (picture, original) in zip(output, source) { try comparison.add(picture, original: original) }
        try comparison.finish()
        return try #require(comparison.score.mean)
    }

    @Test(
        "is reached by the output, closely",
        arguments: [QualityTarget(.ssim, 0.97), QualityTarget(.psnr, 36), QualityTarget(.psnr, 41)])
    func reached(target: QualityTarget) throws {
        let events = Locked<[TranscodeEvent]>([])
        let result = try job(target, report: { event in events.withLock { $0.append(event) } }).run()
        #expect(result.outcome == .completed)
        let value = try measured(target.metric)
        let excess = target.metric.decibels(value) - target.metric.decibels(target.value)
        // A search has a grid, and x264 with threads is not deterministic.
        #expect(excess > -0.1 && excess < 0.4, "\(value)")
        let notices = events.withLock { $0 }.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
        #expect(notices.map(\.kind) == [.qualityFound])
    }

    @Test("a higher one has a higher quality, which the plan has with its reason")
    func ordered() throws {
        let plans = try [33.0, 37, 41].map { try job(QualityTarget(.psnr, $0)).plan() }
        let qualities = plans.compactMap(Self.quality)
        #expect(qualities == qualities.sorted() && Set(qualities).count == 3)
        #expect(plans[0].decisions.first { $0.subject == "rate" }?.reason == "for psnr=33")
        #expect(FileStatus(clip.directory.file("out.mkv")) == nil)
    }

    @Test("the reference is the filtered source")
    func filtered() throws {
        let plan = try job(QualityTarget(.ssim, 0.97)) {
            $0.size = SizeRequest(width: nil, height: 90)
            $0.denoising = .strong
        }.plan()
        let whole = try job(QualityTarget(.ssim, 0.97)).plan()
        #expect(plan.video.encoder.size.height == 90 && Self.quality(plan) != Self.quality(whole))
    }

    @Test("of a video in segments is reached by each of them, with its own quality")
    func segments() throws {
        let halves = try SourceClip(frames: 300) {
            ($0.frameRate, $0.filters) = (10, "noise=alls=25:allf=t:enable='gte(t,15)'")
        }
        let target = QualityTarget(.psnr, 38)
        let request = halves.request {
            ($0.codec, $0.preset, $0.target, $0.parallelism) = (.h264, .fast, target, .count(2))
        }
        let events = Locked<[TranscodeEvent]>([])
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { event in
            events.withLock { $0.append(event) }
        }
        _ = try job.run()
        let plans = events.withLock(\.self).compactMap { if case .planned(let plan) = $0 { plan } else { nil } }
        let found = try #require(plans.first?.video.encoding?.segmentQualities)
        #expect(found.map(\.start) == [0, 15] && found[1].quality.value - found[0].quality.value > 5)
        #expect(plans.first?.decisions.first { $0.subject == "rate" }?.choice.contains("in 2 parts") == true)
        let pairs = Array(zip(try Decoded(request.output ?? "").frames, try Decoded(halves.path).frames))
        try #require(pairs.count == 300)
        for half in [pairs.prefix(150), pairs.suffix(150)] {
            let comparison = PictureComparison(.psnr)
            for (picture, original) in half { try comparison.add(picture, original: original) }
            try comparison.finish()
            let excess = try #require(comparison.score.mean) - 38
            #expect(excess > -0.15 && excess < 0.4, "\(excess)")
        }
        // One quality that reaches the target everywhere needs more bits.
        var single = halves.request("single.mkv") { ($0.codec, $0.preset, $0.parallelism) = (.h264, .fast, .count(2)) }
        single.quality = found.map(\.quality).max { $0.value < $1.value }
        let whole = TranscodeJob(single, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
        _ = try whole.run()
        let sizes = try [request, single].map { request in
            try MediaFile(request.output ?? "").packets(.video).reduce(0) { $0 + $1.bytes.count }
        }
        #expect(sizes[0] < sizes[1])
    }

    @Test("that is unreachable is an error, and nothing is written")
    func unreachable() {
        #expect(throws: TranscodeError.self) { try job(QualityTarget(.ssim, 0.9999)).run() }
    }

    @Test(
        "a metric that libavfilter lacks is an error that lists the available ones",
        arguments: [QualityTarget(.xpsnr, 40), QualityTarget(.vmaf, 95)].filter {
            !PictureComparison.isAvailable($0.metric)
        })
    func missing(target: QualityTarget) {
        let error = #expect(throws: TranscodeError.self) { try job(target).plan() }
        #expect(error?.kind == .targetMetric && error?.hint?.description.hasPrefix("available: SSIM, PSNR") == true)
    }

    @Test("a cancelled search ends the job")
    func cancelled() throws {
        let cancellation = Cancellation()
        let job = job(QualityTarget(.ssim, 0.97), cancellation: cancellation) { event in
            if case .progress = event { cancellation.cancel(.interrupted) }
        }
        let error = #expect(throws: TranscodeError.self) { try job.run() }
        #expect(error?.kind == .interrupted)
    }

    @Test("an existing output is not searched for")
    func existing() throws {
        try Files.write([1], to: clip.directory.file("out.mkv"))
        let job = job(QualityTarget(.ssim, 0.97)) {
            $0.overwrite = .skip
        } report: { event in
            if case .progress = event { Issue.record("it searches") }
        }
        #expect(try job.run().outcome == .skipped)
    }
}

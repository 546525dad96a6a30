import Glibc
import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The search for a quality")
struct QualitySearchTests {
    /// The found quality, and the number of trials.
    private static func search(
        _ target: QualityTarget, isContinuous: Bool = false, _ score: (Double) -> Double
    ) -> (step: QualitySearch.Step, trials: [QualitySearch.Measurement]) {
        var search = QualitySearch(target: target, isContinuous: isContinuous)
        while case .tries(let quality) = search.next, search.trials.count < 50 {
            search.note(score(quality), at: quality)
        }
        return (search.next, search.trials)
    }

    @Test(
        "for a linear metric, four trials find the lowest quality that reaches the target",
        arguments: [0.1, 0.15, 0.2, 0.3, 0.4], [26.0, 35, 38, 41.5])
    func straight(slope: Double, target: Double) {
        let score = { (quality: Double) in 38 + slope * (quality - 70) }
        let (step, trials) = Self.search(QualityTarget(.psnr, target), score)
        guard case .found(let quality) = step else {
            #expect(score(100) < target)
            return
        }
        #expect(score(quality) >= target && trials.count <= 5)
        #expect(score(quality) - target <= 0.1 || score(quality - 0.5) < target || quality == 0)
    }

    @Test(
        "for a nonlinear metric, and for integer quantizers, eight trials do",
        arguments: Array(stride(from: 24.0, to: 44, by: 1.3)))
    func bent(target: Double) {
        for score in [
            { (quality: Double) in 20 + 30 * (quality / 100) * (quality / 100) },
            { (quality: Double) in 50 - 0.5 * (51 - 0.4 * quality).rounded() },
        ] {
            let (step, trials) = Self.search(QualityTarget(.psnr, target), score)
            guard case .found(let quality) = step else {
                Issue.record("\(target) is not found: \(trials)")
                continue
            }
            #expect(score(quality) >= target && trials.count <= 8)
            #expect(score(quality) - target <= 1.3, "\(trials)")
        }
    }

    /// PSNR of clips by x264 at CRF 10, 14, ... 46.
    private static let curves: [[Double]] = [
        [52.9, 50.6, 48.4, 46.0, 43.5, 41.0, 38.6, 36.5, 34.3, 32.8],  // bunny-1
        [49.9, 46.7, 43.5, 40.6, 37.9, 35.4, 33.1, 30.9, 29.0, 27.2],  // bunny-3
        [48.0, 45.6, 43.3, 40.7, 38.0, 35.5, 33.1, 31.0, 28.9, 27.1],  // bunny-6
        [54.1, 50.7, 47.1, 43.2, 39.3, 36.3, 33.7, 31.4, 29.2, 27.1],  // shapes
        [48.7, 45.6, 42.2, 38.7, 35.2, 32.0, 29.4, 27.8, 26.5, 25.2],  // zoom
        [51.0, 47.2, 43.3, 39.3, 36.0, 33.3, 30.2, 26.7, 23.6, 21.4],  // pan
        [45.3, 41.7, 37.9, 34.1, 30.3, 26.2, 22.0, 18.0, 16.1, 15.3],  // life
        [53.4, 50.1, 47.0, 44.1, 41.1, 38.2, 35.4, 33.1, 30.2, 28.1],  // scroll
    ]

    /// On the parabola through the nearest points of a curve.
    private static func score(_ curve: [Double], at quality: Double) -> Double {
        let place = min(9, max(0, (51 - 0.4 * quality - 10) / 4))
        let middle = min(8, max(1, Int(place.rounded())))
        let (x, y) = (place - Double(middle), curve[middle])
        let (before, after) = (curve[middle - 1] - y, curve[middle + 1] - y)
        return y + x * (after - before) / 2 + x * x * (after + before) / 2
    }

    @Test("for x264, two or three trials find the quality, within 0.2 dB", arguments: curves.indices)
    func real(index: Int) {
        let score = { Self.score(Self.curves[index], at: $0) }
        var trials: [Int] = []
        for crf in stride(from: 18.3, to: 34, by: 0.7) {
            let target = score((51 - crf) / 0.4)
            let search = Self.search(QualityTarget(.psnr, target), isContinuous: true, score)
            guard case .found(let quality) = search.step else {
                Issue.record("\(target) is not found: \(search.trials)")
                continue
            }
            trials.append(search.trials.count)
            #expect(abs(score(quality) - target) <= 0.2, "\(target): \(quality), \(search.trials)")
        }
        #expect(trials.allSatisfy { $0 <= 3 }, "\(trials)")
    }

    @Test("a trial has its own score and size, others are interpolated")
    func estimates() throws {
        let trials: [SampleEstimate.Trial] = [
            .init(quality: 70, score: 40, byteCount: 1000), .init(quality: 59, score: 30, byteCount: 1),
            .init(quality: 60, score: 38, byteCount: 250),
        ]
        let (exact, between) = (
            try #require(SampleEstimate(at: 60, from: trials)), try #require(SampleEstimate(at: 65, from: trials))
        )
        let beyond = try #require(SampleEstimate(at: 75, from: trials))
        #expect(exact.isMeasured && exact.score == 38 && exact.byteCount == 250)
        #expect(!between.isMeasured && between.score == 39 && abs(between.byteCount - 500) < 1e-6)
        #expect(beyond.score == 41 && abs(beyond.byteCount - 2000) < 1e-6)
        #expect(SampleEstimate(at: 60, from: []) == nil)
    }

    @Test("a target above the best quality is unreachable")
    func unreachable() {
        let (step, trials) = Self.search(QualityTarget(.psnr, 60)) { 30 + 0.2 * $0 }
        #expect(step == .unreachable && trials.last?.quality == 100)
    }

    @Test("a target below the lowest quality gets the lowest one")
    func lowest() {
        let (step, _) = Self.search(QualityTarget(.psnr, 20)) { 30 + 0.2 * $0 }
        #expect(step == .found(0))
    }

    @Test("SSIM is searched in decibels")
    func similarity() {
        let search = QualitySearch(target: QualityTarget(.ssim, 0.99), isContinuous: true)
        #expect(abs(search.target - 20) < 1e-9)
    }

    @Test("half a point of VMAF is 0.2 dB, and more near 100", arguments: [30, 52, 88, 90, 99])
    func perceived(vmaf: Double) {
        let step = QualityMetric.vmaf.decibels(vmaf + 0.5) - QualityMetric.vmaf.decibels(vmaf)
        #expect(step > 0.1999)
        let logarithm = -10 * (log10(0.995 - vmaf / 100) - log10(1 - vmaf / 100))
        #expect(abs(step - max(0.2, logarithm)) < 0.01)
    }

    @Test("it begins at the quality of similar content")
    func beginning() {
        var search = QualitySearch(target: QualityTarget(.psnr, 40), isContinuous: true, from: Quality(55)!)
        #expect(search.next == .tries(55))
        search.note(40.05, at: 55)
        #expect(search.next == .found(55))
    }

    @Test("a short source is one sample, a long one has samples over its length")
    func samples() {
        var request = TranscodeRequest(input: "in.mp4")
        #expect(QualitySamples(of: request, length: 30).parts == [.init(start: 0, duration: 30)])
        request.start = 100
        let parts = QualitySamples(of: request, length: 1000).parts
        #expect(parts.count == 10 && parts.first == .init(start: 147.5, duration: 5))
        #expect(parts.last == .init(start: 1047.5, duration: 5))
        (request.start, request.duration) = (nil, 7)
        #expect(QualitySamples(of: request, length: nil).parts == [.init(start: 0, duration: 7)])
    }
}

import Testing
import VTXMedia
import VTXTask

@testable import VTXTranscode

@Suite("The search for a quality")
struct QualitySearchTests {
    /// The quality that is found, and how many trials that took.
    private static func search(
        _ target: QualityTarget, _ score: (Double) -> Double
    ) -> (step: QualitySearch.Step, trials: [QualitySearch.Measurement]) {
        var search = QualitySearch(target: target)
        while case .tries(let quality) = search.next, search.trials.count < 50 {
            search.note(score(quality), at: quality)
        }
        return (search.next, search.trials)
    }

    @Test(
        "of a metric that grows evenly, four trials find the lowest quality that reaches the target",
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
        "of one that bends, and of quantizers that are whole numbers, eight do",
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

    @Test("what the best quality does not reach is out of reach")
    func unreachable() {
        let (step, trials) = Self.search(QualityTarget(.psnr, 60)) { 30 + 0.2 * $0 }
        #expect(step == .unreachable && trials.last?.quality == 100)
    }

    @Test("what the lowest quality reaches takes the lowest one")
    func lowest() {
        let (step, _) = Self.search(QualityTarget(.psnr, 20)) { 30 + 0.2 * $0 }
        #expect(step == .found(0))
    }

    @Test("SSIM is searched in decibels")
    func similarity() {
        let search = QualitySearch(target: QualityTarget(.ssim, 0.99))
        #expect(abs(search.target - 20) < 1e-9)
    }

    @Test("a short source is one sample, a long one is tried all over")
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

import Testing
import VTXMedia

@testable import VTXTask

@Suite("The result of a comparison")
struct ComparisonReportTests {
    private func frames(_ values: [Double?]) -> [ComparedFrame] {
        values.enumerated().map { place, value in
            var frame = ComparedFrame(frame: place, outputFrame: place, seconds: Double(place) / 25)
            frame.values[.ssim] = value
            return frame
        }
    }

    @Test("the worst frame is the first of the lowest ones, with its position")
    func worst() throws {
        let found = try #require(MetricStatistics(.ssim, mean: 0.9, of: frames([0.99, 0.9, 0.95, 0.9])))
        #expect(found.worst == MetricStatistics.WorstFrame(value: 0.9, frame: 1, seconds: 0.04) && found.mean == 0.9)
    }

    @Test(
        "the first percentile is the value of the frame at one in a hundred",
        arguments: [(1, 1.0), (100, 1.0), (101, 2), (200, 2), (1000, 10)])
    func percentile(count: Int, expected: Double) {
        let values = (1...count).reversed().map { Optional(Double($0)) }
        #expect(MetricStatistics(.ssim, mean: 0, of: frames(values))?.firstPercentile == expected)
    }

    @Test("frames without a value are ignored, and no frames give no result")
    func none() {
        #expect(MetricStatistics(.ssim, mean: 0, of: frames([nil, 0.5]))?.worst.frame == 1)
        #expect(MetricStatistics(.ssim, mean: 0, of: frames([nil])) == nil)
        #expect(MetricStatistics(.psnr, mean: 0, of: frames([0.5])) == nil)
    }

    @Test("the bit rate is the video's, if its length is known")
    func bitrate() {
        var file = ComparedFile(path: "a", size: PixelSize(2, 2), pixelFormat: "yuv420p")
        file.videoBytes = 1000
        #expect(file.videoBitrate == nil)
        file.seconds = 2
        #expect(file.videoBitrate == 4000)
    }
}

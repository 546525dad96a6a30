import Testing
import VTXMedia
import VTXTask

@testable import VTXCommand

@Suite("A chart of a comparison")
struct ChartTests {
    private func chart(_ values: [Double], name: String = "out.mp4") -> String {
        let frames = values.enumerated().map { place, value in
            var frame = ComparedFrame(frame: place, outputFrame: place, seconds: Double(place) / 25)
            frame.values[.ssim] = value
            return frame
        }
        let original = ComparedFile(path: "clips/in.mkv", size: PixelSize(640, 360), pixelFormat: "yuv420p")
        let output = ComparedFile(path: name, size: PixelSize(640, 360), pixelFormat: "yuv420p")
        let metrics = [MetricStatistics(.ssim, mean: 0.98, of: frames)].compactMap(\.self)
        return ComparisonChart(
            ComparisonReport(original: original, output: output, frames: values.count, metrics: metrics), frames
        ).svg
    }

    private func points(of svg: String) -> [Substring] {
        let start = svg.split(separator: "<polyline points=\"").dropFirst().first ?? ""
        return start.prefix { $0 != "\"" }.split(separator: " ")
    }

    @Test("has a point for each frame, within the chart")
    func line() {
        let svg = chart([0.98, 0.9, 0.99])
        #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960.0 368.0\""))
        #expect(points(of: svg).count == 3 && points(of: svg).first?.hasPrefix("72.0,") == true)
        #expect(svg.contains("out.mp4 compared with in.mkv") && svg.contains("worst 0.9") && svg.contains("mean 0.98"))
        #expect(!svg.contains("polygon") && !svg.contains("nan") && !svg.contains("inf"))
    }

    @Test("of many frames, has a line and their range as a band")
    func band() {
        let svg = chart((0..<5000).map { 0.9 + Double($0 % 10) / 200 })
        #expect(svg.contains("<polygon") && (400...800).contains(points(of: svg).count))
    }

    @Test("can be drawn for one frame, equal frames and no frames", arguments: [[1.0], [1, 1, 1], []])
    func few(values: [Double]) {
        let svg = chart(values)
        #expect(svg.hasSuffix("</svg>\n") && !svg.contains("nan") && !svg.contains("inf") && !svg.contains("?"))
    }

    @Test("a file's name is escaped")
    func escaped() {
        let svg = chart([0.9], name: "a<b>&\"\u{1B}.mp4")
        #expect(svg.contains("a&lt;b&gt;&amp;&quot;\\x1b.mp4"))
    }

    @Test("ticks are round values around all points, and SSIM ends at 1")
    func axis() {
        let axis = Axis(around: [0.9655, 0.9935], of: .ssim)
        #expect(axis.low <= 0.9655 && axis.high >= 0.9935 && axis.high <= 1)
        #expect(axis.ticks.map(axis.text).first == "0.965" && axis.ticks.map(axis.text).last == "0.995")
        #expect(Axis(around: [1, 1], of: .ssim).high == 1)
        #expect(Axis(around: [36.7, 47.1], of: .psnr).ticks.map(axis.text).count > 3)
    }

    @Test("times have the steps of clocks")
    func times() {
        #expect(Axis(0, 4, steps: Axis.timeSteps).step == 1)
        #expect(Axis(0, 100, steps: Axis.timeSteps).step == 15)
        #expect(Axis(0, 7000, steps: Axis.timeSteps).step == 900)
        #expect(Axis(0, 3, steps: Axis.timeSteps).ticks == [0, 1, 2, 3])
    }
}

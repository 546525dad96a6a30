import Testing
@testable import VTXFFmpeg
import VTXMedia
import VTXTestMedia

@Suite("Picture similarity")
struct PictureComparisonTests {
    private func compare(
        _ metric: QualityMetric, _ pictures: [Frame], _ originals: [Frame]
    ) throws -> QualityScore {
        let comparison = PictureComparison(metric)
        for (picture, original) in zip(pictures, originals) { try comparison.add(picture, original: original) }
        try comparison.finish()
        return comparison.score
    }

    private func frames(
        _ picture: String, _ format: String = "yuv420p", count: Int = 3, filters: String = ""
    ) throws -> [Frame] {
        try VideoRecipe {
            ($0.picture, $0.pixelFormat, $0.frameCount, $0.filters) = (picture, format, count, filters)
        }.makeFrames()
    }

    @Test("equal pictures have the maximum, with any pixel layout", arguments: ["yuv420p", "nv12", "yuv420p10le"])
    func same(format: String) throws {
        let score = try compare(.ssim, try frames("testsrc2", format), try frames("testsrc2", format))
        #expect(score.pictures == 3 && score.mean == 1)
        #expect(try compare(.psnr, try frames("testsrc2", format), try frames("testsrc2", format)).mean == 100)
    }

    @Test("interleaved chroma is compared with planes")
    func layouts() throws {
        #expect(try compare(.ssim, try frames("testsrc2", "nv12"), try frames("testsrc2")).mean == 1)
    }

    @Test("PSNR is computed from the mean squared error of all pictures")
    func psnr() throws {
        // Luma differs by 10 in one of two pictures, chroma in none: 4 of 6 samples, 100 * 4 / 6 / 2.
        func gray(_ luma: Int) throws -> [Frame] {
            try VideoRecipe {
                ($0.picture, $0.filters, $0.frameCount) = ("color=c=gray", "lutyuv=y=\(luma):u=128:v=128", 1)
            }.makeFrames()
        }
        let (originals, pictures) = (try gray(100) + gray(100), try gray(110) + gray(100))
        let mean = try #require(try compare(.psnr, pictures, originals).mean)
        #expect(abs(mean - 32.9) < 0.02, "\(mean)")
    }

    @Test("pictures of two sizes are compared in order")
    func sizes() throws {
        let comparison = PictureComparison(.ssim)
        for size in [PixelSize(160, 96), PixelSize(64, 64)] {
            let frame = try VideoRecipe { ($0.size, $0.frameCount) = (size, 1) }.makeFrames()[0]
            try comparison.add(frame, original: frame)
            try comparison.finish()
        }
        #expect(comparison.score.pictures == 2 && comparison.score.mean == 1)
    }

    @Test("each picture is compared with its original, with any time base")
    func units() throws {
        let (pictures, originals) = (try frames("testsrc2", count: 6), try frames("testsrc2", count: 6))
        pictures.forEach { $0.rescale(to: Rational(1, 90_000)) }
        let comparison = PictureComparison(.ssim)
        for (picture, original) in zip(pictures, originals) { try comparison.add(picture, original: original) }
        try comparison.finish()
        #expect(comparison.values == Array(repeating: 1, count: 6))
    }

    @Test("different pictures have less")
    func others() throws {
        let score = try compare(.ssim, try frames("testsrc2"), try frames("smptebars"))
        #expect(try #require(score.mean) < 0.7)
    }

    @Test("SSIM and PSNR are always available")
    func available() {
        #expect(PictureComparison.isAvailable(.ssim) && PictureComparison.isAvailable(.psnr))
    }

    @Test(
        "XPSNR is the worst component's, if libavfilter has it",
        .enabled(if: PictureComparison.isAvailable(.xpsnr)))
    func xpsnr() throws {
        let score = try compare(.xpsnr, try frames("testsrc2"), try frames("testsrc2", filters: "noise=alls=10:allf=t"))
        #expect((20.0...50).contains(try #require(score.mean)))
        #expect(try compare(.xpsnr, try frames("testsrc2"), try frames("testsrc2")).mean == 100)
    }

    @Test("VMAF has a value for each picture, after the last one", .enabled(if: PictureComparison.isAvailable(.vmaf)))
    func vmaf() throws {
        let comparison = PictureComparison(.vmaf)
        let (originals, noisy) = (try frames("testsrc2"), try frames("testsrc2", filters: "noise=alls=20:allf=t"))
        for (picture, original) in zip(noisy, originals) { try comparison.add(picture, original: original) }
        #expect(comparison.values.isEmpty)
        try comparison.finish()
        for picture in originals { try comparison.add(picture, original: picture) }
        try comparison.finish()
        #expect(comparison.values.count == 6 && comparison.score.pictures == 6)
        #expect(comparison.values[0] < comparison.values[3])
    }

    @Test("libvmaf's log has a line for each picture, excluding the mean's")
    func vmafLog() {
        let text = """
            "frames": [
              { "frameNum": 0, "metrics": {
                  "integer_adm2": 0.962084,
                  "vmaf": 97.428043
                } },
              { "frameNum": 1, "metrics": {
                  "vmaf": 96.5
                } } ],
            "pooled_metrics": {
              "vmaf": {
                "min": 96.5,
            """
        #expect(VMAFLog.values(in: text) == [97.428043, 96.5])
    }
}

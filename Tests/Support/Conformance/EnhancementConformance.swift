import Testing
import VTXFFmpeg
import VTXMedia
import VTXTestMedia

// Noise reduction and sharpening.
extension Conformance {
    private static let strengths: [FilterStrength?] = [nil, .light, .medium, .strong]

    package func denoises(bitDepth: Int) throws {
        let frames = try Self.frames(of: "noise=alls=12:allf=t", bitDepth, count: 6)
        let noises = try Self.strengths.map { strength in
            let output = try run(Self.same(bitDepth) { $0.denoising = strength }, try frames.map { try $0.reference() })
            #expect(output.count == frames.count)
            return Self.noise(try #require(output.last))
        }
        #expect(zip(noises, noises.dropFirst()).allSatisfy { $0 > $1 }, "\(noises)")
    }

    package func sharpens(bitDepth: Int) throws {
        let frames = try Self.frames(of: "drawbox=80:0:80:96:white:fill,gblur=sigma=2", bitDepth, count: 1)
        let slopes = try Self.strengths.map { strength in
            let output = try run(Self.same(bitDepth) { $0.sharpening = strength }, [try frames[0].reference()])
            let row = try (60..<100).map { try #require(output.first).luma($0, 48) }
            return zip(row, row.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        }
        #expect(zip(slopes, slopes.dropFirst()).allSatisfy { $0 <= $1 } && slopes[0] < slopes[3], "\(slopes)")
    }

    private static func frames(of filters: String, _ bitDepth: Int, count: Int) throws -> [Frame] {
        try VideoRecipe {
            ($0.picture, $0.filters) = ("color=c=gray", filters)
            $0.pixelFormat = bitDepth == 10 ? "yuv420p10le" : "yuv420p"
            $0.timeBase = Rational(1, 1000)
            $0.frameCount = count
        }.makeFrames()
    }

    private static func same(
        _ bitDepth: Int, _ change: (inout FilterConfiguration) -> Void
    ) -> FilterConfiguration {
        filter {
            $0.pixelFormat = .planar(.yuv420, bitDepth: bitDepth)
            change(&$0)
        }
    }

    /// The deviation of luma from its mean.
    private static func noise(_ frame: Frame) -> Double {
        let plane = frame.planeBytes(0)
        var samples = plane.map(Int.init)
        if frame.pixelFormat.bitDepth > 8 {
            samples = stride(from: 0, to: plane.count, by: 2).map { samples[$0] | samples[$0 + 1] << 8 }
        }
        let mean = Double(samples.reduce(0, +)) / Double(samples.count)
        return samples.reduce(0) { $0 + abs(Double($1) - mean) } / Double(samples.count)
    }
}

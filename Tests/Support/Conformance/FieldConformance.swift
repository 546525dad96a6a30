import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia

extension Conformance {
    /// Deinterlacing keeps the number of frames and their times.
    package func deinterlaces() throws {
        let recipe = VideoRecipe {
            $0.filters = "tinterlace=interleave_top"
            $0.timeBase = Rational(1, 1000)
            $0.frameCount = 10
        }
        let frames = try recipe.makeFrames()
        #expect(frames.count == 10 && frames.allSatisfy(\.isInterlaced))
        let output = try run(Self.filter(), frames)
        #expect(output.count == 10 && !output.contains { $0.isInterlaced })
        #expect(output.compactMap(\.pts) == (0..<10).map { $0 * 40 })
        let untouched = try run(Self.filter { $0.deinterlacing = .never }, try recipe.makeFrames())
        #expect(untouched.count == 10 && untouched.allSatisfy(\.isInterlaced))
    }

    /// Each field becomes a frame.
    package func separatesFields() throws {
        let recipe = VideoRecipe {
            $0.filters = "tinterlace=interleave_top"
            ($0.timeBase, $0.frameCount) = (Rational(1, 1000), 10)
        }
        let output = try run(Self.filter { $0.deinterlacing = .everyField }, try recipe.makeFrames())
        #expect(!output.contains { $0.isInterlaced })
        #expect(output.compactMap(\.pts) == (0..<20).map { $0 * 20 })
        for (one, other) in zip(output, output.dropFirst()) { #expect(one.checksum != other.checksum) }
    }
}

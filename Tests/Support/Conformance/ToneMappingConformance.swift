import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTestMedia

extension Conformance {
    /// Ten-bit PQ luma at 0, 100 and 1000 cd/m2, and the allowed range of SDR luma: curves differ.
    private static let levels = [(64, 14...20), (509, 130...200), (723, 215...236)]

    private static func hdr(_ color: ColorDescription) throws -> [Frame] {
        let luma = levels.map(\.0)
        return try VideoRecipe {
            $0.picture = "color=c=gray"
            $0.filters = "format=yuv420p10le,geq=lum='if(lt(X,54),\(luma[0]),if(lt(X,108),\(luma[1]),\(luma[2])))'"
            $0.filters += ":cb=512:cr=512"
            $0.pixelFormat = "yuv420p10le"
            $0.color = color
            $0.timeBase = Rational(1, 1000)
            $0.frameCount = 3
        }.makeFrames()
    }

    /// PQ becomes SDR: black stays black, the brightest value is white, and no HDR metadata is left.
    package func mapsTones(to bitDepth: Int) throws {
        let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
        let configuration = Self.filter {
            $0.pixelFormat = .planar(.yuv420, bitDepth: bitDepth)
            $0.color = .bt709
            $0.toneMapping = ToneMapping(source: color, metadata: .sample)
        }
        let frames = try Self.hdr(color)
        for frame in frames { frame.hdrMetadata = .sample }
        let output = try run(configuration, frames)
        #expect(output.compactMap(\.pts) == [0, 40, 80])
        for frame in output {
            #expect(frame.pixelFormat.bitDepth == bitDepth && frame.hdrMetadata.isEmpty)
            #expect(frame.color.filled(from: .bt709) == .bt709)
            for (column, level) in Self.levels.enumerated() {
                #expect(level.1.contains(frame.luma(27 + 54 * column, 48) >> (bitDepth - 8)))
            }
        }
    }

    /// A source that changes to SDR is not tone mapped from there on.
    package func leavesSDRAlone() throws {
        let color = ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
        let configuration = Self.filter {
            $0.pixelFormat = .planar(.yuv420, bitDepth: 10)
            $0.color = .bt709
            $0.toneMapping = ToneMapping(source: color, metadata: .sample)
        }
        let output = try run(configuration, try Self.hdr(.bt709))
        #expect(output.count == 3)
        for (column, level) in Self.levels.enumerated() {
            for frame in output { #expect(frame.luma(27 + 54 * column, 48) == level.0) }
        }
    }
}

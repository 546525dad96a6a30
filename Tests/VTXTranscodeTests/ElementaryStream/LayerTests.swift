import Testing
import VTXBitstream
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Video with a second layer")
struct LayerTests {
    private let directory: TemporaryDirectory
    private let movie: LayeredMovie
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        movie = try LayeredMovie()
        path = directory.file("in.mp4")
        try movie.write(to: path)
    }

    @Test("the listing reads the layer's sets and slices")
    func listing() throws {
        var units: [NALUnitInfo] = []
        _ = try NALDump(input: path).run { event in
            if case .unit(let unit) = event { units.append(unit) }
            return true
        }
        let layer = units.filter { $0.layerID == 1 }
        #expect(layer.count { $0.place == .record } == movie.layerSets.count)
        #expect(layer.filter { $0.place == .record }.allSatisfy { $0.parameterSet != nil })
        #expect(layer.count { $0.slice?.type != nil } == units.count { $0.slice?.picOrderCnt != nil })
        #expect(units.allSatisfy { $0.problem == nil })
    }

    @Test("the extracted stream has the layer's sets, and can be muxed again")
    func extraction() throws {
        var (job, output) = (ExtractJob(input: path), directory.file("out.h265"))
        job.output = output
        #expect(try job.run(Cancellation()).outcome == .completed)
        let bytes = try Files.read(output)
        let sets = AnnexB.units(in: bytes.span.bytes, codec: .hevc).prefix { !$0.isVCL }.map { Array(bytes[$0.range]) }
        #expect(movie.layerSets.count == 2 && movie.layerSets.allSatisfy(sets.contains))
        let mux = MuxJob(input: output, output: directory.file("muxed.mp4"))
        #expect(try mux.run(Cancellation()).outcome == .completed)
        (job, output) = (ExtractJob(input: directory.file("muxed.mp4")), directory.file("again.h265"))
        job.output = output
        _ = try job.run(Cancellation())
        #expect(try Files.read(output) == bytes)
    }
}

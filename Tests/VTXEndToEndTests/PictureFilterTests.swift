import Testing
import VTXFFmpeg
import VTXMedia
import VTXTask
import VTXTestMedia

@Suite("Cropping, rotating and filtering")
struct PictureFilterTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("a requested rotation starts from the displayed frame", arguments: PictureTests.shown)
    func turns(rotation: (DisplayMatrix.Orientation, [Int])) throws {
        let (input, output) = (directory.file("in.mp4"), directory.file("out.mp4"))
        var recipe = VideoRecipe.quarters
        recipe.displayMatrix = .turning(rotation.0)
        try MovieRecipe(recipe).write(to: input)
        _ = try Run.transcode(input, to: output) { $0.rotation = .quarter }
        let frame = try Decoded(output, limit: 1).frames[0]
        let shown = rotation.1
        for (found, wanted) in zip(corners(frame), [shown[2], shown[0], shown[3], shown[1]]) {
            #expect(abs(found - wanted) < 12)
        }
        #expect(try MediaFile(output).video?.displayMatrix == nil)
    }

    @Test("the frame is rotated, then mirrored")
    func flips() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(.quarters).write(to: input)
        _ = try Run.transcode(input, to: output) { ($0.rotation, $0.flip) = (.quarter, .vertical) }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == PixelSize(96, 160))
        for (found, wanted) in zip(corners(frame), [16, 126, 16, 235]) { #expect(abs(found - wanted) < 12) }
    }

    @Test("a cropped frame is scaled and rotated like a whole one")
    func crops() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(.quarters).write(to: input)
        _ = try Run.transcode(input, to: output) {
            $0.crop = .region(PixelRegion(x: 40, y: 0, size: PixelSize(80, 96)))
            ($0.rotation, $0.size) = (.half, SizeRequest("40x"))
        }
        let frame = try Decoded(output, limit: 1).frames[0]
        #expect(frame.size == PixelSize(40, 48))
        for (found, wanted) in zip(corners(frame), [16, 16, 126, 235]) { #expect(abs(found - wanted) < 12) }
    }

    @Test("the user's filters precede scaling, and a new rate has regular times")
    func filters() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mp4"))
        try MovieRecipe(.quarters).write(to: input)
        let run = try Run.transcode(input, to: output) {
            ($0.filters, $0.size) = ("negate,fps=50", SizeRequest("80x"))
        }
        let decoded = try Decoded(output)
        #expect(decoded.frames.count == 24 && decoded.frames[0].size == PixelSize(80, 48))
        for (found, wanted) in zip(corners(decoded.frames[0]), [16, 126, 235, 235]) {
            #expect(abs(found - wanted) < 12)
        }
        let steps = zip(decoded.times, decoded.times.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { abs($0 - 0.02) < 0.0001 } && abs(run.result.seconds - 0.48) < 0.001)
    }

    @Test("filters that depend on all earlier frames only disable the journal")
    func filtersWithoutJournal() throws {
        let (input, output) = (directory.file("in.mkv"), directory.file("out.mkv"))
        try MovieRecipe(.quarters).write(to: input)
        let run = try Run.transcode(input, to: output) { $0.filters = "fade=in:0:6" }
        #expect(run.result.frames == 12)
        let first = try Decoded(output, limit: 1).frames[0]
        #expect(corners(first).allSatisfy { abs($0 - 16) < 12 })
    }
}

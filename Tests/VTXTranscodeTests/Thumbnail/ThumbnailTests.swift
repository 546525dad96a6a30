import Testing
import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXSoftware
import VTXSystem
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Thumbnails")
struct ThumbnailTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func make(
        matrix: DisplayMatrix? = nil, _ change: (inout VideoRecipe) -> Void = { _ in }
    ) throws -> String {
        var video = VideoRecipe {
            ($0.options, $0.frameCount, $0.displayMatrix) = ([("preset", "ultrafast"), ("qp", "10")], 50, matrix)
        }
        change(&video)
        try MovieRecipe(video).write(to: directory.file("in.mp4"))
        return directory.file("in.mp4")
    }

    /// The decoded thumbnail.
    private func drawn(_ input: String, _ change: (inout ThumbnailJob) -> Void = { _ in }) throws -> Frame {
        var job = ThumbnailJob(input: input, output: directory.file("out.jpg"))
        job.replaces = true
        change(&job)
        try job.run(on: SoftwareBackend().openSession(on: try #require(SoftwareBackend().probe().first).device))
        return try #require(try Decoded(job.output).frames.first)
    }

    /// The mean luma, which distinguishes the frames of `brightening`.
    private func brightness(_ frame: Frame) -> Int {
        let luma = frame.planeBytes(0)
        return luma.reduce(0) { $0 + Int($1) } / max(1, luma.count)
    }

    /// Each frame is brighter than the previous one.
    private static let brightening = "geq=lum='40+3*N':cb=128:cr=128"

    @Test("the longer side has the requested size, and a small frame is not enlarged")
    func size() throws {
        let input = try make { $0.size = PixelSize(320, 180) }
        #expect(try drawn(input) { $0.side = 64 }.size == PixelSize(64, 36))
        #expect(try drawn(input).size == PixelSize(320, 180))
    }

    @Test("a thumbnail is rotated as displayed")
    func turned() throws {
        let input = try make(matrix: DisplayMatrix([0, 65536, 0, -65536, 0, 0, 0, 0, 1 << 30])) {
            $0.size = PixelSize(160, 90)
        }
        #expect(try drawn(input).size == PixelSize(90, 160))
    }

    @Test("the thumbnail is at the requested time, by default at a tenth of the duration")
    func time() throws {
        let input = try make { ($0.size, $0.filters) = (PixelSize(64, 64), Self.brightening) }
        let at = try [0, 0.4, 1.6, nil, 2].map { seconds in try brightness(drawn(input) { $0.seconds = seconds }) }
        #expect(at[0] < at[1] && at[1] < at[2] && at[0] < at[3] && at[3] < at[1])
        #expect(at[4] >= at[2], "the last frame is shown to the end")
        let error = #expect(throws: TranscodeError.self) { try drawn(input) { $0.seconds = 100 } }
        #expect(error?.kind == .rangeEmpty && error?.message.contains("ends at 2 s") == true)
    }

    @Test("a stream without times has a constant frame rate")
    func raw() throws {
        var video = VideoRecipe { ($0.size, $0.filters, $0.frameCount) = (PixelSize(64, 64), Self.brightening, 50) }
        video.bFrames = 0
        try MovieRecipe(video).write(to: directory.file("in.h264"))
        let at = try [0, 0.4, 1.6].map { seconds in
            try brightness(drawn(directory.file("in.h264")) { $0.seconds = seconds })
        }
        #expect(at[0] < at[1] && at[1] < at[2])
    }

    @Test("an existing file is kept, and a file without video is an error")
    func errors() throws {
        let input = try make()
        _ = try drawn(input)
        #expect {
            _ = try drawn(input) { $0.replaces = false }
        } throws: {
            ($0 as? TranscodeError)?.kind == .outputExists
        }
        try AtomicFile.write("no clip", to: directory.file("text.mkv"), replaces: false)
        #expect {
            _ = try drawn(directory.file("text.mkv"))
        } throws: {
            ($0 as? TranscodeError)?.kind == .inputNotMedia
        }
    }
}

import Testing
import VTX
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask
import VTXTestMedia
import VTXTranscode

@Suite("Stopping a transcode")
struct StoppingTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs, and cancels at the first event that `moment` accepts.
    private func cancel(
        _ reason: Cancellation.Reason, _ input: String, to output: String, overwrites: Bool = false,
        at moment: @escaping @Sendable (TranscodeEvent) -> Bool
    ) -> TranscodeError? {
        let cancellation = Cancellation()
        var request = TranscodeRequest(input: input, output: output)
        request.codec = .h264
        request.overwrite = overwrites ? .replace : .refuse
        do throws(TranscodeError) {
            _ = try Run.job(request, cancellation) { event in
                if moment(event) { cancellation.cancel(reason) }
            }
            .run()
            return nil
        } catch {
            return error
        }
    }

    private func clip(frames: Int = 50) throws -> String {
        let input = directory.file("in.mkv")
        try MovieRecipe(VideoRecipe { $0.frameCount = frames }, .aac).write(to: input)
        return input
    }

    @Test(
        "before the first frame leaves nothing",
        arguments: [(Cancellation.Reason.interrupted, ErrorKind.interrupted), (.terminated, .terminated)])
    func early(reason: Cancellation.Reason, kind: ErrorKind) throws {
        let input = try clip()
        let error = cancel(reason, input, to: directory.file("out.mp4")) {
            if case .planned = $0 { true } else { false }
        }
        #expect(error?.kind == kind && error?.message.contains("was not created") == true)
        #expect(directory.names == ["in.mkv"])
    }

    @Test("during verification leaves nothing, and the old file stays")
    func late() throws {
        let (input, output) = (try clip(), directory.file("out.mp4"))
        try Files.write("precious", to: output)
        let error = cancel(.interrupted, input, to: output, overwrites: true) { event in
            if case .progress(let progress) = event { progress.phase == .verifying } else { false }
        }
        #expect(error?.category == .interrupted && error?.message.contains("is unchanged") == true)
        #expect(directory.names == ["in.mkv", "out.mp4"])
        #expect(try Files.read(output) == Array("precious".utf8))
    }

    @Test("a run cancelled before it begins does nothing")
    func beforehand() throws {
        let (input, cancellation) = (try clip(), Cancellation())
        cancellation.cancel(.terminated)
        let error = Run.failure(input, to: directory.file("out.mp4"), cancellation: cancellation)
        #expect(error?.category == .terminated)
        #expect(directory.names == ["in.mkv"])
    }
}

import VTXFFmpeg
import VTXMedia
import VTXSession
import VTXTask
import VTXTestMedia
import VTXTranscode

/// A short clip on disk, and plans for it.
struct SourceClip {
    let directory: TemporaryDirectory
    let path: String

    init(frames: Int = 25, audio: AudioRecipe? = .pcm, _ change: (inout VideoRecipe) -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        path = directory.file("in.mkv")
        var video = VideoRecipe { $0.frameCount = frames }
        change(&video)
        try MovieRecipe(video, audio).write(to: path)
    }

    func request(_ output: String? = "out.mkv", _ change: (inout TranscodeRequest) -> Void = { _ in })
        -> TranscodeRequest
    {
        var request = TranscodeRequest(input: path, output: output.map(directory.file))
        change(&request)
        return request
    }

    func plan(
        with backends: [any VideoBackend] = [FakeBackend()], to output: String? = "out.mkv",
        after driverFailures: [DriverFailure] = [], _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws(TranscodeError) -> PreparedTranscode {
        try TranscodePreparation(request(output, change), backends: backends, after: driverFailures).prepare()
    }

    /// The error that planning ends with.
    func refusal(
        with backends: [any VideoBackend] = [FakeBackend()], to output: String? = "out.mkv",
        _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) -> TranscodeError? {
        do throws(TranscodeError) {
            _ = try plan(with: backends, to: output, change)
            return nil
        } catch {
            return error
        }
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSoftware
import VTXTask
import VTXTestMedia

@testable import VTXTranscode

@Suite("Joined files")
struct JoinedFilesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func clip(
        _ name: String, _ audio: AudioRecipe? = .ac3, chapters: [Chapter] = [],
        _ change: (inout VideoRecipe) -> Void = { _ in }
    ) throws -> String {
        var video = VideoRecipe { $0.frameCount = 25 }
        change(&video)
        let path = directory.file(name)
        try MovieRecipe(video, audio) { $0.chapters = chapters }.write(to: path)
        return path
    }

    private func join(
        _ paths: [String], to name: String = "out.mkv", _ change: (inout TranscodeRequest) -> Void = { _ in }
    ) throws -> (result: TranscodeResult, file: MediaFile) {
        var request = TranscodeRequest(input: paths[0], output: directory.file(name))
        request.appended = Array(paths.dropFirst())
        (request.codec, request.preset) = (.h264, .fast)
        change(&request)
        let job = TranscodeJob(request, backends: [SoftwareBackend()], cancellation: Cancellation()) { _ in }
        return (try job.run(), try MediaFile(directory.file(name)))
    }

    private func refusal(_ paths: [String], _ change: (inout TranscodeRequest) -> Void = { _ in }) -> TranscodeError? {
        do {
            _ = try join(paths, change)
            return nil
        } catch { return error as? TranscodeError }
    }

    @Test("each begins where the previous one ends, with any encoder", arguments: ["mp4", "mkv", "ts"])
    func encoded(kind: String) throws {
        let audio: AudioRecipe = .ac3
        let one = try clip("one.\(kind)", audio)
        let two = try clip("two.\(kind)", audio) { ($0.bFrames, $0.options) = (2, [("preset", "veryfast")]) }
        let (result, file) = try join([one, two, one])
        #expect(result.frames == 75 && result.outcome == .completed)
        let times = file.times(.video)
        let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 > 0.035 && $0 < 0.08 })
        let count = try MediaFile(one).packets(.audio).count * 2 + MediaFile(two).packets(.audio).count
        #expect(file.packets(.audio).count == count)
        let heard = file.times(.audio)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.07 })
    }

    @Test("they are copied if their parameter sets are equal")
    func copied() throws {
        let one = try clip("one.mp4")
        let (result, file) = try join([one, one], to: "out.mp4") {
            ($0.codec, $0.preset, $0.copiesVideo) = (nil, .balanced, true)
        }
        let own = try MediaFile(one).packets(.video).map(\.bytes)
        #expect(result.frames == 50 && file.packets(.video).map(\.bytes) == own + own)
        let two = try clip("two.mp4") { ($0.bFrames, $0.options) = (2, [("preset", "veryfast")]) }
        let error = refusal([one, two]) { ($0.codec, $0.preset, $0.copiesVideo) = (nil, .balanced, true) }
        #expect(error?.kind == .inputDiffers)
    }

    @Test("they are copied completely with B frames, whose first DTS Matroska lacks", arguments: ["mkv", "mp4"])
    func copiedBFrames(kind: String) throws {
        let one = try clip("one.mkv") { ($0.bFrames, $0.options) = (2, [("preset", "veryfast")]) }
        let (result, file) = try join([one, one, one], to: "out.\(kind)") {
            ($0.codec, $0.preset, $0.copiesVideo) = (nil, .balanced, true)
        }
        let times = file.times(.video).sorted()
        #expect(result.frames == 75 && times.count == 75)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.035 && $1 - $0 < 0.08 })
    }

    @Test("a file with another rotation is refused: the output has one display matrix")
    func turned() throws {
        let one = try clip("one.mp4")
        let phone = try clip("phone.mp4") { $0.displayMatrix = .turning(.rotated90) }
        #expect(refusal([one, phone])?.message.description.contains("shown rotated 90 instead of upright") == true)
        #expect(refusal([phone, one])?.kind == .inputDiffers && refusal([phone, phone]) == nil)
    }

    @Test("a file with other streams is refused by name")
    func different() throws {
        let one = try clip("one.mkv")
        let others = [
            try clip("size.mkv") { $0.size = PixelSize(96, 48) }, try clip("silent.mkv", nil),
            try clip("audio.mkv", .pcm),
        ]
        for other in others {
            let error = refusal([one, other])
            #expect(error?.kind == .inputDiffers && error?.message.contains(other) == true)
        }
    }

    @Test("chapters are the first file's")
    func chapters() throws {
        let one = try clip("one.mkv", chapters: [Chapter(1, 0, 400, "First")])
        let (result, file) = try join([one, one])
        #expect(file.demuxer.chapters.count == 1)
        #expect(result.notices.contains { $0.kind == .downgradeChapters })
    }
}

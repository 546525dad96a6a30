import Testing
import VTXMedia

@testable import VTXTask

@Suite("Standard input and output instead of files")
struct PipeRuleTests {
    private func refusal(_ input: String, _ output: String?, _ settings: Settings) -> ErrorKind? {
        do throws(TranscodeError) {
            _ = try TranscodeRequest(input: input, output: output, settings: settings)
            return nil
        } catch { return error.kind }
    }

    private static let ofInput: [Settings] = [
        [.target: "ssim=0.9"], [.targetSize: "1000000"], [.crop: "auto"], [.burnSubtitles: "0"],
        [.start: "5", .copyVideo: "true"], [.maxSizeRatio: "0.9"], [.twoPass: "true", .bitrate: "1000000"],
    ]

    @Test("a piped source excludes options that read it twice", arguments: ofInput)
    func input(settings: Settings) {
        #expect(refusal("-", "out.mkv", settings) == .conflict)
        #expect(refusal("in.mkv", "out.mkv", settings) == nil)
    }

    private static let ofOutput: [Settings] = [
        [.verify: "full"], [.verify: "sample"], [.targetSize: "1000000"], [.maxSizeRatio: "0.9"], [.hls: "true"],
        [.dash: "true"], [.ladder: "auto"], [.skipCodecs: "auto"],
    ]

    @Test("a piped output excludes options that seek in it", arguments: ofOutput)
    func output(settings: Settings) {
        #expect(refusal("in.mkv", "-", settings) == .conflict)
        #expect(refusal("in.mkv", "out", settings) == nil)
    }

    @Test("all other options are allowed")
    func others() {
        #expect(refusal("-", "-", [.start: "5", .duration: "3", .crop: "100x100+0+0", .verify: "off"]) == nil)
        #expect(refusal("in.mkv", "-", [.target: "ssim=0.9", .crop: "auto"]) == nil)
        #expect(refusal("-", nil, [:]) == .missingArgument)
        #expect(refusal("-", nil, [.replace: "true"]) == .conflict)
    }

    private static let ofFollowingFiles: [Settings] = [
        [.start: "5"], [.target: "ssim=0.9"], [.targetSize: "1000000"], [.crop: "auto"], [.burnSubtitles: "0"],
        [.twoPass: "true", .bitrate: "1000000"], [.parallel: "2"], [.segments: "2"], [.maxSizeRatio: "0.9"],
        [.inputFrameRate: "25"], [.skipCodecs: "hevc"],
    ]

    @Test("several inputs exclude options for one", arguments: ofFollowingFiles)
    func followingFiles(settings: Settings) throws {
        var request = try TranscodeRequest(input: "a.mkv", output: "out.mkv", settings: settings)
        try request.check()
        request.appended = ["b.mkv"]
        #expect(throws: TranscodeError.self) { try request.check() }
        request = TranscodeRequest(input: "a.mkv", output: "out.mkv")
        request.appended = ["-"]
        #expect(throws: TranscodeError.self) { try request.check() }
    }

    @Test("the container is named, or follows from the output's name; a pipe gets Matroska")
    func container() throws {
        func container(_ output: String?, _ settings: Settings = [:]) throws -> Container? {
            try TranscodeRequest(input: "in.mkv", output: output, settings: settings).container
        }
        #expect(try container("out.mp4") == .mp4 && container("out") == nil && container(nil) == nil)
        #expect(try container("out.mp4", [.format: "hevc"]) == .h265 && container("-", [.format: "ts"]) == .ts)
        #expect(try container("-") == .mkv)
    }

    @Test("messages name them", arguments: [("-", "standard input", "standard output"), ("a", "'a'", "'a'")])
    func names(path: String, input: String, output: String) {
        #expect(StandardStream.input(path) == input && StandardStream.output(path) == output)
    }
}

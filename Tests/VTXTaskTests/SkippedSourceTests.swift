import Testing
import VTXMedia
import VTXTask

@Suite("A source that has the codec of what replaces it")
struct SkippedSourceTests {
    private func reason(_ settings: Settings) throws -> String? {
        let all: Settings = [.replace: "true", .codec: "hevc"]
        return try TranscodeRequest(input: "in.mkv", settings: all.merging(settings) { $1 }).reasonToSkip("hevc")
    }

    @Test(
        "is skipped, however the work is done",
        arguments: [
            [:], [.hardware: "require"], [.preset: "fast"], [.parallel: "2"], [.maxSizeRatio: "0.9"],
            [.failOnDowngrade: "true"], [.verify: "full"], [.quality: "20"],
        ] as [Settings])
    func skipped(settings: Settings) throws { #expect(try reason(settings) == "the video is HEVC already") }

    @Test(
        "is skipped only after planning if pictures or rate may change",
        arguments: [
            [.maxSize: "1280x720"], [.crop: "auto"], [.maxBitrate: "2000000"], [.audio: "aac"],
        ] as [Settings])
    func planned(settings: Settings) throws { #expect(try reason(settings) == nil) }

    @Test(
        "is encoded if nothing is to be skipped",
        arguments: [[.skipCodecs: "none"], [.skipCodecs: "h264"], [.codec: "h264"]] as [Settings])
    func encoded(settings: Settings) throws { #expect(try reason(settings) == nil) }

    @Test("is encoded if it stays")
    func kept() throws {
        let request = try TranscodeRequest(input: "in.mkv", settings: [.codec: "hevc"])
        #expect(request.reasonToSkip("hevc") == nil && !request.maySkip)
    }
}

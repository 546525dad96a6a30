import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXTranscode

@Suite("Names, selections and tables")
struct NamesAndRulesTests {
    @Test(
        "an extension follows the last dot of the name",
        arguments: [
            ("a.mp4", "a", "mp4"), ("dir/clip.part1.mp4", "dir/clip.part1", "mp4"), (".hidden", ".hidden", ""),
            ("dir.d/name", "dir.d/name", ""), ("dir/.a.b", "dir/.a", "b"), ("a.", "a", ""), ("", "", ""),
            ("/", "/", ""),
        ])
    func split(path: String, stem: String, pathExtension: String) {
        #expect(FileName.split(path) == (stem, pathExtension))
    }

    @Test(
        "a file's directory",
        arguments: [
            ("a.mp4", ".", "a.mp4"), ("/a", "/", "a"), ("x/y/z", "x/y", "z"), ("./a", ".", "a"),
        ])
    func directory(path: String, directory: String, name: String) {
        #expect(FileName.directory(of: path) == (directory, name))
    }

    @Test(
        "streams are chosen by words, positions and languages",
        arguments: [
            ("all", StreamFilter.all), ("none", .none), ("0", .only([.position(0)])),
            ("0,2,eng", .only([.position(0), .position(2), .language("eng")])), ("de", .only([.language("de")])),
        ])
    func filters(text: String, filter: StreamFilter) { #expect(StreamFilter(text) == filter) }

    @Test("other values are refused", arguments: ["", ",", "-1", "english", "EN", "0,", "0;1", "Eng"])
    func noFilters(text: String) { #expect(StreamFilter(text) == nil) }

    @Test("a choice includes what it names")
    func includes() throws {
        let filter = try #require(StreamFilter("1,deu"))
        #expect(filter.includes(position: 1, language: nil) && filter.includes(position: 5, language: "deu"))
        #expect(!filter.includes(position: 0, language: "eng") && !filter.includes(position: 0, language: nil))
        #expect(StreamFilter.all.includes(position: 9, language: nil))
        #expect(!StreamFilter.none.includes(position: 0, language: "eng"))
    }

    @Test("different codes of one language are equal", arguments: ["de", "deu", "ger"])
    func languages(code: String) throws {
        let filter = try #require(StreamFilter(code))
        for tag in ["de", "deu", "ger", "de-AT", "DE"] { #expect(filter.includes(position: 0, language: tag)) }
        for tag in ["den", "eng", "und", ""] { #expect(!filter.includes(position: 0, language: tag)) }
    }

    @Test("streams are ranked by the first matching list entry")
    func ranks() throws {
        let filter = try #require(StreamFilter("3,eng,1"))
        #expect(filter.rank(position: 3, language: "eng") == 0 && filter.rank(position: 0, language: "en") == 1)
        #expect(filter.rank(position: 1, language: "fra") == 2 && filter.rank(position: 2, language: nil) == nil)
        #expect(StreamFilter.all.rank(position: 7, language: nil) == 0)
    }

    @Test("the tables of containers' codecs match libavformat", arguments: [Container.mp4, .mov, .mkv])
    func rules(container: Container) {
        let rules = ContainerRules.of(container)
        for codec in rules.audio.union(rules.video).union(rules.subtitles) {
            #expect(Muxer.holds(codec: codec, format: container.muxerName), "\(codec)")
        }
    }

    @Test("a container supports its text subtitle codec", arguments: Container.allCases)
    func textSubtitles(container: Container) {
        let rules = ContainerRules.of(container)
        if let text = rules.textSubtitle { #expect(rules.subtitles.contains(text)) }
        #expect(container.isElementaryStream == (rules.audio.isEmpty && !rules.takesAnyAudio))
        #expect(!container.isElementaryStream || (!rules.holdsChapters && !rules.holdsMetadata))
    }

    @Test("progress has the position and the remaining time")
    func progress() {
        let progress = Progress(
            phase: .transcoding, frames: 50, totalFrames: 100, seconds: 2, totalSeconds: 4, elapsedSeconds: 1, bytes: 9)
        #expect(progress.framesPerSecond == 50 && progress.speed == 2)
        #expect(progress.fraction == 0.5 && progress.remainingSeconds == 1)
        var unknown = progress
        unknown.totalSeconds = nil
        #expect(unknown.fraction == nil && unknown.remainingSeconds == nil)
        var start = progress
        (start.elapsedSeconds, start.seconds) = (0, 0)
        #expect(start.framesPerSecond == 0 && start.speed == 0 && start.remainingSeconds == nil && start.fraction == 0)
    }
}

import Testing
import VTXJobs

@Suite("A watch folder's sources")
struct WatchFolderTests {
    @Test(
        "are media files at any depth, except hidden ones",
        arguments: [
            ("a.mp4", true), ("deep/er/B.MKV", true), ("a.txt", false), ("mp4", false), (".a.mp4", false),
            (".cache/a.mp4", false), ("a.mp4.part", false),
        ])
    func names(name: String, isTaken: Bool) { #expect(WatchFolder(path: "/in").takes(name) == isTaken) }

    @Test(
        "match its patterns",
        arguments: [
            ("Show S01E02.dat", true), ("show s01e02.DAT", true), ("show s01e02.dat.bak", false),
            ("sample show.dat", false),
            ("deep/show.dat", false),
        ])
    func patterns(name: String, isTaken: Bool) {
        let folder = WatchFolder(path: "/in", recursive: false, include: ["*show*.d?t"], exclude: ["sample*"])
        #expect(folder.takes(name) == isTaken)
    }

    @Test("skips sources that already have the codec, or would hardly shrink")
    func rules() {
        let rule = SkipRule(minimumGain: 0.1)
        #expect(rule.skips(codec: "hevc", targetCodec: "hevc") && !rule.skips(codec: "h264", targetCodec: "hevc"))
        #expect(
            rule.reason(expectedRatio: 0.95) == "the output would be smaller by 5 %; the rule requires 10 % smaller")
        #expect(
            rule.reason(outputBytes: 120, sourceBytes: 100)
                == "the output is larger by 20 %; the rule requires 10 % smaller")
        #expect(rule.reason(outputBytes: 90, sourceBytes: 100) == nil)
        #expect(rule.reason(expectedRatio: 0.5) == nil && rule.reason(expectedRatio: nil) == nil)
        // More than the codec would change.
        #expect(!SkipRule().skips(codec: "hevc", targetCodec: nil))
        #expect(!SkipRule(codecs: []).skips(codec: "hevc", targetCodec: "hevc"))
        #expect(SkipRule().reason(expectedRatio: 1) == nil)
        #expect(SkipRule(codecs: ["av1"]).skips(codec: "av1", targetCodec: "hevc"))
    }
}

@Suite("When a file is complete")
struct FileSettlingTests {
    private var settling = FileSettling(seconds: 10)
    private var sizes: [String: FileSettling.Stamp] = [:]

    private static func stamp(_ bytes: Int64) -> FileSettling.Stamp { .init(byteCount: bytes, modifiedAt: bytes) }

    private mutating func does(_ event: FileSettling.Event, at now: Double) { settling.handle(event, at: now) }

    private mutating func settled(at now: Double) -> [String] {
        let sizes = sizes
        return settling.settled(at: now) { sizes[$0] }.map(\.path)
    }

    @Test("a moment after it was closed or moved here, if unchanged")
    mutating func closed() {
        sizes["a"] = Self.stamp(5)
        does(.closed("a", Self.stamp(5)), at: 0)
        #expect(settled(at: 0.5).isEmpty && settling.nextCheck == 1)
        #expect(settled(at: 1) == ["a"])
        #expect(settled(at: 100).isEmpty && settling.nextCheck == nil)
    }

    @Test("not while it grows, even slowly")
    mutating func growing() {
        sizes["a"] = Self.stamp(1)
        does(.seen("a", Self.stamp(1)), at: 0)
        for step in 1...9 {
            sizes["a"] = Self.stamp(Int64(step) + 1)
            does(.seen("a", Self.stamp(Int64(step) + 1)), at: Double(step) * 9)
            #expect(settled(at: Double(step) * 10).isEmpty)
        }
        #expect(settled(at: 100) == ["a"])
    }

    @Test("a file that is closed and written again waits again")
    mutating func reopened() {
        does(.closed("a", Self.stamp(5)), at: 0)
        sizes["a"] = Self.stamp(6)
        #expect(settled(at: 1).isEmpty)
        #expect(settling.nextCheck == 11)
        #expect(settled(at: 11) == ["a"])
    }

    @Test("a removed or empty file is not a source")
    mutating func gone() {
        does(.closed("a", Self.stamp(5)), at: 0)
        does(.gone("a"), at: 0.5)
        does(.closed("b", Self.stamp(5)), at: 0)
        sizes["c"] = Self.stamp(0)
        does(.closed("c", Self.stamp(0)), at: 0)
        #expect(settled(at: 1).isEmpty && settling.nextCheck == nil)
    }
}

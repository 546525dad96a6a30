import Testing
import VTXMedia
import VTXSession
import VTXTask

@testable import VTXTranscode

@Suite("The disk space of a transcode")
struct DiskSpaceTests {
    private enum Shortage { case output, journal }

    /// One second at 8 Mbit/s: 1 MB.
    private func shortage(
        free: [String: Int64], _ journal: JournalRequest = JournalRequest(),
        _ rate: RateControl = .bitrate(average: 8_000_000, max: nil)
    ) throws -> Shortage? {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        (plan.output, plan.video.encoder.rateControl, plan.timestamps.expectedSeconds) = ("/a/out.mkv", rate, 1)
        // Each letter is a separate disk.
        let space = DiskSpace(available: { free[$0] }, fileSystem: { $0.utf8.dropFirst().first.map(UInt64.init) })
        return space.shortage(plan, journal: journal).map { shortage in
            if case .output = shortage { .output } else { .journal }
        }
    }

    @Test("is known for a bit rate: the video, and the video again in its journal")
    func bitrate() throws {
        #expect(try shortage(free: ["/a": 999_999]) == .output)
        #expect(try shortage(free: ["/a": 1_999_999]) == .journal)
        #expect(try shortage(free: ["/a": 2_000_000]) == nil)
    }

    @Test("is checked for each location")
    func elsewhere() throws {
        var journal = JournalRequest()
        journal.directory = "/tmp"
        #expect(try shortage(free: ["/a": 1_000_000, "/tmp": 1_000_000], journal) == nil)
        #expect(try shortage(free: ["/a": 1_000_000, "/tmp": 999_999], journal) == .journal)
        #expect(try shortage(free: ["/a": 999_999, "/tmp": 1_000_000], journal) == .output)
    }

    @Test("includes a journal elsewhere on the same disk")
    func sameDisk() throws {
        var journal = JournalRequest()
        journal.directory = "/a/journals"
        let free: [String: Int64] = ["/a": 1_999_999, "/a/journals": 1_999_999]
        #expect(try shortage(free: free, journal) == .journal)
    }

    @Test("for a quality is reported once a tenth is done", arguments: [nil, JournalRequest()])
    func projected(journal: JournalRequest?) throws {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        plan.output = "/a/out.mkv"
        // 900 bytes remain, and again in the journal.
        let projection = try #require(SizeProjection(written: 100, fraction: 0.1))
        func notices(_ free: Int64) -> [Int] {
            var warning = SpaceWarning(DiskSpace(available: { _ in free }, fileSystem: { _ in 1 }))
            return (0..<2).map { _ in warning.take(projection, plan, journal).count }
        }
        let needed: Int64 = journal == nil ? 900 : 1800
        #expect(notices(needed - 1) == [1, 0])
        #expect(notices(needed) == [0, 0])
    }

    @Test("a journal on another disk has a warning of its own")
    func journalElsewhere() throws {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        plan.output = "/a/out.mkv"
        var journal = JournalRequest()
        journal.directory = "/tmp"
        let projection = try #require(SizeProjection(written: 100, fraction: 0.1))
        var warning = SpaceWarning(DiskSpace(available: { $0 == "/a" ? 900 : 899 }, fileSystem: { $0 == "/a" ? 1 : 2 }))
        let text = warning.take(projection, plan, journal).map { "\($0.message)" }
        #expect(text == ["the journal of '/a/out.mkv' needs about 1 MB, but '/tmp' has only 0 MB left"])
    }

    @Test("is unknown for a quality, and without the free space")
    func unknown() throws {
        #expect(try shortage(free: ["/a": 0], JournalRequest(), .quality(.standard, max: nil)) == nil)
        #expect(try shortage(free: [:], JournalRequest()) == nil)
    }
}

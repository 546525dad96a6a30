import Testing
import VTXMedia
import VTXSession
import VTXTask

@testable import VTXTranscode

@Suite("The disk that a transcode needs")
struct DiskSpaceTests {
    private enum Shortage { case output, journal }

    /// Of one second at 8 Mbit/s: 1 MB.
    private func shortage(
        free: [String: Int64], _ journal: JournalRequest = JournalRequest(),
        _ rate: RateControl = .bitrate(average: 8_000_000, max: nil)
    ) throws -> Shortage? {
        let clip = try SourceClip(frames: 25)
        var plan = try clip.plan().plan
        (plan.output, plan.video.encoder.rateControl, plan.timestamps.expectedSeconds) = ("/a/out.mkv", rate, 1)
        return DiskSpace { free[$0] }.shortage(plan, journal: journal).map { shortage in
            if case .output = shortage { .output } else { .journal }
        }
    }

    @Test("is known of a bit rate: the video, and the video once more in its journal")
    func bitrate() throws {
        #expect(try shortage(free: ["/a": 999_999]) == .output)
        #expect(try shortage(free: ["/a": 1_999_999]) == .journal)
        #expect(try shortage(free: ["/a": 2_000_000]) == nil)
    }

    @Test("is that of each place")
    func elsewhere() throws {
        var journal = JournalRequest()
        journal.directory = "/tmp"
        #expect(try shortage(free: ["/a": 1_000_000, "/tmp": 1_000_000], journal) == nil)
        #expect(try shortage(free: ["/a": 1_000_000, "/tmp": 999_999], journal) == .journal)
        #expect(try shortage(free: ["/a": 999_999, "/tmp": 1_000_000], journal) == .output)
    }

    @Test("is not known of a quality, nor where nothing says what is free")
    func unknown() throws {
        #expect(try shortage(free: ["/a": 0], JournalRequest(), .quality(.standard, max: nil)) == nil)
        #expect(try shortage(free: [:], JournalRequest()) == nil)
    }
}

import Testing
import VTXMedia
import VTXTask

@testable import VTXCapture

@Suite("Report of dropped frames")
struct DroppedFrameReportTests {
    @Test("the frames of a second are reported immediately, and further ones at most once a minute")
    func report() {
        var report = DroppedFrameReport("x is", 30, takesSize: true)
        let due = [(29, 1.5), (30, 2), (90, 10), (900, 61), (900, 62), (929, 130), (930, 131)].map {
            report.notice(droppedCount: $0.0, at: Int64($0.1 * 90_000), takesH264: true) != nil
        }
        #expect(due == [false, true, false, false, true, false, true])
    }

    @Test("the hint names only what the source allows")
    func hint() {
        func text(_ takesH264: Bool, _ takesSize: Bool) -> String {
            var report = DroppedFrameReport("x is", 30, takesSize: takesSize)
            let notice = report.notice(droppedCount: 31, at: 0, takesH264: takesH264)
            return notice.map { "\($0.message)" } ?? ""
        }
        #expect(text(false, false) == "x is too slow: 31 frames are lost so far")
        #expect(text(true, false).hasSuffix("; codec=h264 helps"))
        #expect(text(true, true).hasSuffix("; codec=h264, a smaller size or a lower frameRate helps"))
    }
}

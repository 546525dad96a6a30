import Testing
import VTXMedia
import VTXTask

@testable import VTXCapture

@Suite("Report of dropped frames")
struct DroppedFrameReportTests {
    @Test("the frames of a second are reported immediately, and further ones at most once a minute")
    func report() {
        var report = DroppedFrameReport(30)
        let due = [(29, 1.5), (30, 2.0), (90, 10), (900, 61), (900, 62), (929, 130), (930, 131)].map {
            report.isDue(droppedCount: $0.0, at: $0.1)
        }
        #expect(due == [false, true, false, false, true, false, true])
    }

    @Test("the hint names only what the source allows")
    func hint() {
        func text(_ takesH264: Bool, _ takesSize: Bool) -> String {
            "\(Notice.tooSlow("x is", droppedCount: 31, takesH264: takesH264, takesSize: takesSize).message)"
        }
        #expect(text(false, false) == "x is too slow: 31 frames are lost so far")
        #expect(text(true, false).hasSuffix("; codec=h264 helps"))
        #expect(text(true, true).hasSuffix("; codec=h264, a smaller size or a lower frameRate helps"))
    }
}

import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCapture

@Suite("Adaptive bit rate")
struct AdaptiveBitrateTests {
    /// Observes ten times a second, and returns the changes with their times.
    private func changes(
        of adapting: inout AdaptiveBitrate, from start: Int = 0, seconds: Int, backlog: (Double) -> Double
    ) -> [(time: Double, bitrate: Int)] {
        (10 * start..<10 * (start + seconds)).compactMap { tick in
            let now = Double(tick) / 10
            return adapting.observe(backlog: backlog(now), at: now).map { (now, $0) }
        }
    }

    @Test("the bit rate stays while outputs keep up")
    func keepsUp() {
        var adapting = AdaptiveBitrate(1_000_000)
        #expect(changes(of: &adapting, seconds: 60) { _ in 0.9 }.isEmpty)
        #expect(!adapting.isLowered)
    }

    @Test("a backlog of more than a second lowers it every two seconds, down to a minimum")
    func lowers() {
        var adapting = AdaptiveBitrate(1_000_000)
        let found = changes(of: &adapting, seconds: 60) { $0 < 3 ? 0 : 1.5 }
        #expect(found.prefix(3).map(\.time) == [3, 5, 7])
        #expect(found.prefix(3).map(\.bitrate) == [700_000, 490_000, 343_000])
        #expect(adapting.current == 150_000 && found.count == 6)
    }

    @Test("without a backlog it rises by a tenth every five seconds, up to the requested one")
    func rises() {
        var adapting = AdaptiveBitrate(1_000_000)
        #expect(changes(of: &adapting, seconds: 1) { _ in 2 }.map(\.bitrate) == [700_000])
        let found = changes(of: &adapting, from: 1, seconds: 60) { $0 < 4 ? 0.5 : 0 }
        #expect(found.map(\.bitrate) == [800_000, 900_000, 1_000_000])
        #expect(abs(found[0].time - 8.9) < 0.01 && abs(found[1].time - found[0].time - 5) < 0.01)
        #expect(!adapting.isLowered)
    }

    @Test("a live output that accepts nothing lowers the encoder's bit rate before frames are dropped")
    func recorder() throws {
        let notices = Locked<[NoticeKind]>([])
        let changes = Locked<[Int]>([])
        let clock = Locked(0.0)
        let target = BlockedTarget()
        let camera = FakeCamera([])
        var encoder = try SoftwareEncoders().open(camera.format, usesGlobalHeader: false)
        encoder.changeBitrate = { bitrate in
            changes.withLock { $0.append(bitrate) }
            return true
        }
        let recorder = CaptureRecorder(
            camera.format, encoder, usesGlobalHeader: false, [try CaptureWriter("live", target, .live)],
            bitrate: 1_000_000, report: { notice in notices.withLock { $0.append(notice.kind) } },
            now: { clock.withLock(\.self) })
        for number in 0..<40 {
            clock.withLock { $0 = Double(number) / 10 }
            let frame = FakeCamera.frame()
            frame.setTimes(pts: Int64(number) * 9000, duration: 9000, timeBase: CaptureTimeline.timeBase)
            try recorder.record(frame)
        }
        #expect(changes.withLock(\.self) == [700_000, 490_000])
        #expect(notices.withLock(\.self) == [.captureBitrate])
        #expect(recorder.skipped.isEmpty)
        target.release()
        try recorder.finish()
    }
}

/// An output that waits with its first packet.
private final class BlockedTarget: CaptureTarget {
    private let released = BoundedQueue<Void>(capacity: 1)
    let byteCount: Int64 = 0
    let skippedCount = 0

    func release() { released.finish() }
    func write(_ packet: CapturePacket) { _ = try? released.pop() }
    func finish() {}
    func hurry() {}
}

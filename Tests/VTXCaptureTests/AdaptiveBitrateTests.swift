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

    @Test("without a requested bit rate, the maximum follows the picture and the codec")
    func defaultMaximum() {
        let (size, rate) = (PixelSize(1920, 1080), Rational(30, 1))
        #expect(AdaptiveBitrate.defaultMaximum(size, rate, .h264) == 6_220_800)
        #expect(AdaptiveBitrate.defaultMaximum(size, rate, .hevc) == 4_354_560)
        #expect(AdaptiveBitrate.defaultMaximum(PixelSize(640, 360), rate, .h264) == 691_200)
    }

    /// The time of the recording, in seconds.
    private let clock = Locked(0.0)

    /// Records 40 frames in 4 seconds to an output that accepts nothing until the end.
    private func record(
        with encoder: CaptureEncoder, to target: BlockedTarget, report: @escaping @Sendable (Notice) -> Void = { _ in },
        reopen: CaptureRecorder.Reopen? = nil
    ) throws -> CaptureRecorder {
        let recorder = CaptureRecorder(
            FakeCamera([]).format, encoder, usesGlobalHeader: false, [try CaptureWriter("live", target, .live)],
            report: report, now: { [clock] in clock.withLock(\.self) }, reopen: reopen)
        for number in 0..<40 {
            clock.withLock { $0 = Double(number) / 10 }
            let frame = FakeCamera.frame()
            frame.setTimes(pts: Int64(number) * 9000, duration: 9000, timeBase: CaptureTimeline.timeBase)
            try recorder.record(frame)
        }
        #expect(recorder.skipped.isEmpty)
        target.release()
        try recorder.finish()
        return recorder
    }

    private func encoder(maxBitrate: Int) throws -> CaptureEncoder {
        var encoder = try SoftwareEncoders().open(FakeCamera([]).format, usesGlobalHeader: false)
        encoder.maxBitrate = maxBitrate
        return encoder
    }

    @Test("a live output that accepts nothing lowers the encoder's bit rate before frames are dropped")
    func lowersEncoder() throws {
        let notices = Locked<[NoticeKind]>([])
        let changes = Locked<[Int]>([])
        var encoder = try encoder(maxBitrate: 1_000_000)
        encoder.changeBitrate = { bitrate in
            changes.withLock { $0.append(bitrate) }
            return true
        }
        _ = try record(with: encoder, to: BlockedTarget()) { notice in notices.withLock { $0.append(notice.kind) } }
        #expect(changes.withLock(\.self) == [700_000, 490_000])
        #expect(notices.withLock(\.self) == [.captureBitrate])
    }

    @Test("an encoder that cannot change its bit rate is replaced; no frame is lost, and the next one is a key frame")
    func replacesEncoder() throws {
        let opened = Locked<[Int?]>([])
        let frames = Locked<[Int]>([])
        let target = BlockedTarget()
        let reopen: CaptureRecorder.Reopen = { [clock] format, _, bitrate throws(TranscodeError) in
            opened.withLock { $0.append(bitrate) }
            frames.withLock { $0.append(Int((clock.withLock(\.self) * 10).rounded())) }
            var next = try SoftwareEncoders().open(format, usesGlobalHeader: false)
            next.maxBitrate = bitrate ?? 1_000_000
            return next
        }
        _ = try record(with: encoder(maxBitrate: 1_000_000), to: target, reopen: reopen)
        // The first frame has another format than the camera said.
        #expect(opened.withLock(\.self) == [nil, 700_000, 490_000])
        let packets = target.packets.withLock(\.self)
        #expect(packets.map(\.pts) == (0..<40).map { $0 * 9000 })
        let keys = packets.indices.filter { packets[$0].isKey }
        // When the output is full depends on whether it has taken its first packet by then.
        for frame in frames.withLock(\.self) { #expect(keys.contains(frame) || keys.contains(frame + 1)) }
    }
}

/// An output that waits with its first packet.
private final class BlockedTarget: CapturePacketSink {
    private let released = BoundedQueue<Void>(capacity: 1)
    let byteCount: Int64 = 0
    let skippedCount = 0
    let packets = Locked<[(pts: Int64?, isKey: Bool)]>([])

    func release() { released.finish() }
    func write(_ packet: CapturePacket) {
        _ = try? released.pop()
        packets.withLock { $0.append((packet.packet.pts, packet.packet.isKeyFrame)) }
    }
    func finish() {}
    func limitWaiting() {}
}

import Testing
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCapture

@Suite("Reading a camera")
struct CaptureReaderTests {
    private func read(_ camera: FakeCamera, duration: Double? = nil) -> (reader: CaptureReader, times: [Int64]) {
        let reader = CaptureReader(camera, duration: duration, now: camera.now)
        reader.run()
        var times: [Int64] = []
        while let item = reader.next() { times.append(item.ticks) }
        return (reader, times)
    }

    @Test("times count from the first frame, in 90 kHz")
    func times() {
        let (reader, times) = read(FakeCamera([.picture(2), .picture(2.1), .picture(2.25), .failure(unplugged)]))
        #expect(times == [0, 9000, 22_500])
        #expect(reader.failure == unplugged && reader.losses == CaptureLosses())
    }

    @Test("a camera without frames for five seconds has stalled, one that resumes earlier has not")
    func stall() {
        let (reader, times) = read(
            FakeCamera([.picture(0), .silence(4.9), .picture(5), .silence(4.9), .silence(0.2), .picture(11)]))
        #expect(times == [0, 450_000])
        #expect(reader.failure?.kind == .cameraTimeout)
    }

    @Test("a camera that never gives a frame has stalled")
    func silence() {
        let (reader, times) = read(FakeCamera([]))
        #expect(times.isEmpty && reader.failure?.kind == .cameraTimeout)
    }

    @Test("a recording ends before a frame that would exceed its duration")
    func duration() {
        let pictures = (0..<100).map { FakeCamera.Event.picture(Double($0) / 10) }
        let (reader, times) = read(FakeCamera(pictures), duration: 0.5)
        #expect(times.count == 5 && reader.failure == nil)
    }

    @Test("frames without increasing times, and damaged ones, are dropped and counted")
    func leftOut() {
        let (reader, times) = read(
            FakeCamera([.picture(1), .picture(1), .picture(0.5), .damaged(1.1), .picture(1.2), .failure(unplugged)]))
        #expect(times == [0, 18_000])
        #expect(reader.losses == CaptureLosses(missing: 0, dropped: 0, damaged: 3))
    }

    @Test("the time of a damaged frame does not leave out frames that arrive late")
    func damagedFrameFirst() {
        let (reader, times) = read(FakeCamera([.picture(1), .damaged(5), .picture(1.1), .failure(unplugged)]))
        #expect(times == [0, 9000] && reader.losses == CaptureLosses(missing: 0, dropped: 0, damaged: 1))
    }

    @Test("frames that were sent during a stall wait for room, at most as long again")
    func burst() {
        var timeline = CaptureTimeline(duration: nil, frameRate: 25)
        timeline.start(at: 0)
        _ = timeline.decide(MediaTime(seconds: 0), now: 1)
        #expect(!timeline.isBurst(at: 1))
        _ = timeline.decide(MediaTime(seconds: 0.04), now: 4)
        #expect(timeline.isBurst(at: 6.9) && !timeline.isBurst(at: 7))
    }

    @Test("frames before their time, as at an input's start, wait for room")
    func early() throws {
        let pictures = (0..<20).map { FakeCamera.Event.picture(Double($0)) }
        let camera = FakeCamera(pictures + [.failure(unplugged)], isBuffered: true)
        let reader = CaptureReader(camera, duration: nil, now: camera.now)
        let thread = try Thread("test") { reader.run() }
        var count = 0
        while reader.next() != nil { count += 1 }
        thread.join()
        #expect(count == 20 && reader.losses == CaptureLosses())

        let endless = FakeCamera(pictures, isBuffered: true)
        let other = CaptureReader(endless, duration: nil, now: endless.now)
        let waiting = try Thread("test") { other.run() }
        other.abandon()
        waiting.join()
        #expect(other.next() == nil)
    }

    @Test("if the encoder is too slow, the oldest queued frames are dropped and counted")
    func drops() {
        let pictures = (0..<20).map { FakeCamera.Event.picture(Double($0), missing: $0 == 3 ? 2 : 0) }
        let (reader, times) = read(FakeCamera(pictures + [.failure(unplugged)]))
        #expect(times == (12..<20).map { Int64($0) * 90_000 })
        #expect(reader.losses == CaptureLosses(missing: 2, dropped: 12, damaged: 0))
    }

    @Test("a stopped reader outputs queued frames, and ends without an error")
    func stop() {
        let reader = Locked<CaptureReader?>(nil)
        let camera = FakeCamera([.picture(0), .picture(1), .picture(2)]) { reader.withLock { $0 }?.stop() }
        let stopped = CaptureReader(camera, duration: nil, now: camera.now)
        reader.withLock { $0 = stopped }
        stopped.run()
        #expect(stopped.next() != nil && stopped.next() == nil && stopped.failure == nil)
    }

    private var unplugged: TranscodeError { TranscodeError(.cameraUnplugged, "gone") }
}

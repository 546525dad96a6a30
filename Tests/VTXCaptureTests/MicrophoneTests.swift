import Glibc
import Testing
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

@testable import VTXCapture

@Suite("The times of recorded samples")
struct SampleClockTests {
    @Test("jitter is removed, and clock drift is followed", arguments: [-200.0, 0, 200])
    func follows(partsPerMillion: Double) {
        var clock = SampleClock(sampleRate: 48_000)
        var (count, worst) = (0.0, 0.0)
        for block in 0..<6000 {
            // The duration of 960 samples by this device's clock.
            let recorded = 100 + count / (48_000 * (1 + partsPerMillion / 1e6))
            let jitter = Double(block * 7919 % 41 - 20) / 20 * 0.004
            let time = clock.time(of: recorded + jitter, sampleCount: 960)
            if block > 300 { worst = max(worst, abs(time - recorded)) }
            count += 960
        }
        #expect(worst < 0.001)
    }

    @Test("missing samples leave a gap")
    func gap() {
        var clock = SampleClock(sampleRate: 48_000)
        #expect(clock.time(of: 10, sampleCount: 48_000) == 10)
        #expect(clock.time(of: 12.5, sampleCount: 48_000) == 12.5)
    }
}

/// A microphone with a constant tone and the test's clock.
private final class FakeMicrophone: AudioDevice {
    let sampleRate = 48_000
    let channelCount: Int
    private let now: () -> Double
    private var beginning = 0.0
    private var given = 0
    private(set) var blockCount = 0
    private let unpluggedAt: Double

    init(channelCount: Int = 2, unpluggedAt: Double = .infinity, _ now: @escaping () -> Double) {
        (self.channelCount, self.unpluggedAt, self.now) = (channelCount, unpluggedAt, now)
    }

    func start() throws(SystemError) { beginning = now() }

    func read() throws(SystemError) -> AudioBlock? {
        guard now() < unpluggedAt else { throw SystemError("snd_pcm_avail", ENODEV) }
        let count = Int((now() - beginning) * 48_000) - given
        guard count > 0 else { return nil }
        defer { (given, blockCount) = (given + count, blockCount + 1) }
        let bytes = (0..<count * channelCount).flatMap { index -> [UInt8] in
            let value = Int16(index / channelCount % 100 * 100)
            return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        }
        return AudioBlock(bytes: bytes, time: beginning + Double(given) / 48_000)
    }
}

@Suite("A microphone")
struct MicrophoneTests {
    /// Seconds that the test counts.
    private final class Time {
        var now = 50.0
    }

    private func seconds(of packets: [Packet]) -> (first: Double, last: Double) {
        let times = packets.compactMap { $0.presentationTime?.seconds }
        return (times.first ?? 0, times.last ?? 0)
    }

    @Test("AAC has the samples' recording times and channels", arguments: [1, 2])
    func records(channels: Int) throws {
        let time = Time()
        let microphone = try Microphone(
            "test", report: { _ in }, now: { time.now },
            open: { _ throws(SystemError) in FakeMicrophone(channelCount: channels) { time.now } })
        #expect(microphone.format.parameters.codecName == "aac")
        #expect(microphone.format.parameters.channelCount == channels)
        try microphone.start()
        var packets: [Packet] = []
        for _ in 0..<50 {
            time.now += 0.04
            packets += microphone.takePackets()
        }
        let (first, last) = seconds(of: packets)
        #expect(abs(first - 50) < 0.03 && abs(last - 52) < 0.15)
        #expect(packets.count > 80)
    }

    @Test("samples that arrive during a read, or soon after it, are left for the next one: blocks are few and large")
    func readsRarely() throws {
        let time = Time()
        // Two samples later whenever it is asked, for half a second.
        let device = FakeMicrophone {
            time.now = min(50.5, time.now + 2.0 / 48_000)
            return time.now
        }
        let microphone = try Microphone(
            "test", report: { _ in }, now: { time.now }, open: { _ throws(SystemError) in device })
        try microphone.start()
        for reads in 1...20 {
            // A camera that delivers frames late, several at once.
            for _ in 0..<5 { _ = microphone.takePackets() }
            #expect(device.blockCount == reads)
            time.now += 0.02
        }
    }

    @Test("the audio reaches the end of the last frame, although the device delivers it later")
    func finishes() throws {
        let time = Time()
        let microphone = try Microphone(
            "test", report: { _ in },
            now: {
                time.now += 0.005
                return time.now
            }, open: { _ throws(SystemError) in FakeMicrophone { time.now } })
        try microphone.start()
        microphone.finish(at: 51)
        #expect(seconds(of: microphone.takePackets()).last + 1024.0 / 48_000 >= 51)
    }

    @Test("the silence of a lost microphone reaches the end of the last frame")
    func finishesInSilence() throws {
        let time = Time()
        let microphone = try Microphone(
            "test", report: { _ in }, now: { time.now },
            open: { _ throws(SystemError) in
                // It does not come back.
                if time.now > 50 { throw SystemError("snd_pcm_open", ENODEV) }
                return FakeMicrophone(unpluggedAt: 50.5) { time.now }
            })
        try microphone.start()
        var packets: [Packet] = []
        for _ in 0..<25 {
            time.now += 0.04
            packets += microphone.takePackets()
        }
        microphone.finish(at: 51)
        #expect(seconds(of: packets + microphone.takePackets()).last + 1024.0 / 48_000 >= 51)
    }

    @Test("an unplugged microphone leaves silence, is reported, and resumes when it returns")
    func unplugged() throws {
        let time = Time()
        var (notices, openings): ([Notice], Int) = ([], 0)
        let microphone = try Microphone("test", report: { notices.append($0) }, now: { time.now }) {
            name throws(SystemError) in
            openings += 1
            // It is missing for two attempts.
            if openings == 2 { throw SystemError("snd_pcm_open", ENODEV) }
            return FakeMicrophone(unpluggedAt: openings == 1 ? 51 : .infinity) { time.now }
        }
        try microphone.start()
        var packets: [Packet] = []
        for _ in 0..<200 {
            time.now += 0.04
            packets += microphone.takePackets()
        }
        #expect(notices.map(\.kind) == [.captureMicrophone, .captureMicrophone] && openings == 3)
        let times = packets.compactMap { $0.presentationTime?.seconds }
        #expect(abs((times.last ?? 0) - 58) < 0.2)
        for (one, next) in zip(times, times.dropFirst()) { #expect(abs(next - one - 1024.0 / 48_000) < 0.003) }
    }

    @Test(
        "a device that cannot be opened is reported by name",
        arguments: [
            (ENOENT, "no microphone 'nowhere'"), (EBUSY, "another program uses"), (EACCES, "is denied"),
            (EIO, "cannot be recorded"),
        ])
    func refusals(code: Int32, text: String) {
        let error = #expect(throws: TranscodeError.self) {
            try Microphone("nowhere", report: { _ in }, now: { 0 }) { _ throws(SystemError) in
                throw SystemError("snd_pcm_open", code)
            }
        }
        #expect(error?.kind == .microphoneUnusable && "\(error.map { "\($0.message)" } ?? "")".contains(text))
    }
}

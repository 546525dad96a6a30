import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// A microphone recorded with a camera: its audio as AAC, on the camera's clock. It is read whenever the camera is, at
/// least ten times per second; ALSA buffers one second.
///
/// Unchecked: one thread at a time calls it.
final class Microphone: @unchecked Sendable {
    typealias Opener = (_ name: String) throws(SystemError) -> any AudioDevice

    /// The interval between attempts to find a lost microphone, in seconds.
    private static let step = 1.0
    /// The length of a block of silence, in seconds.
    private static let silence = 0.1
    /// How long to wait at the end for samples that the device has not delivered yet, in seconds.
    private static let lastWait = 0.2

    /// The shortest time between reads, in seconds. libavfilter keeps each block in a buffer of the largest one's size
    /// until there is a whole AAC frame: small blocks would take up megabytes.
    private static let interval = 0.01

    private let name: String
    private let open: Opener
    private let now: () -> Double
    private let report: (Notice) -> Void
    private let (sampleRate, channelCount): (Int, Int)
    private let conversion: InputAudio
    /// nil while it is lost.
    private var device: (any AudioDevice)?
    private var clock: SampleClock
    /// The end of the audio so far, in seconds; nil before the first sample.
    private var end: Double?
    private var nextLook = 0.0
    private var nextRead = 0.0

    init(
        _ name: String, report: @escaping (Notice) -> Void, now: @escaping () -> Double = { MonotonicClock.seconds },
        open: @escaping Opener = { name throws(SystemError) in try ALSADevice(name) }
    ) throws(TranscodeError) {
        (self.name, self.report, self.now, self.open) = (name, report, now, open)
        do throws(SystemError) {
            let device = try open(name)
            (sampleRate, channelCount) = (device.sampleRate, device.channelCount)
            self.device = device
        } catch { throw .microphone(name, error) }
        clock = SampleClock(sampleRate: sampleRate)
        do throws(FFmpegError) { conversion = try InputAudio(channelCount: channelCount, isRecorded: true) } catch {
            throw TranscodeError(.audioCodec, "no audio can be encoded: \(error)")
        }
    }

    var format: CaptureAudioFormat { conversion.format }

    func start() throws(TranscodeError) {
        do throws(SystemError) { try device?.start() } catch { throw .microphone(name, error) }
    }

    /// Records up to this time, and ends the audio. `takePackets()` then returns the rest.
    func finish(at last: Double) {
        read()
        while device != nil, (end ?? 0) < last, now() < last + Self.lastWait {
            Poll.wait(for: [], seconds: 0.01)
            read()
        }
        // The last picture is shown until then.
        if device == nil { fillWithSilence(until: last) }
        conversion.finish()
    }

    /// Returns the packets encoded since the last call. Silence replaces a lost microphone.
    func takePackets() -> [Packet] {
        read()
        return conversion.takePackets()
    }

    private func read() {
        if let device {
            guard now() >= nextRead else { return }
            nextRead = now() + Self.interval
            do throws(SystemError) {
                // Once, because samples keep arriving: a loop would take a few at a time, on a slow machine forever.
                if let block = try device.read() { take(block) }
            } catch { lose(after: error) }
        } else {
            lookAgain()
        }
        // The microphone may come back at any moment, with samples of its own.
        if device == nil { fillWithSilence(until: now() - 2 * Self.silence) }
    }

    private func take(_ block: AudioBlock) {
        let count = block.bytes.count / (2 * channelCount)
        let time = clock.time(of: block.time, sampleCount: count)
        end = time + Double(count) / Double(sampleRate)
        guard let frame = try? Frame(pcm: block.bytes, sampleRate: sampleRate, channelCount: channelCount, at: time)
        else { return }
        conversion.take(frame)
    }

    private func fillWithSilence(until end: Double) {
        guard var time = self.end else { return }
        let bytes = [UInt8](repeating: 0, count: Int(Self.silence * Double(sampleRate)) * 2 * channelCount)
        while time < end {
            take(AudioBlock(bytes: bytes, time: time))
            time += Self.silence
        }
    }

    private func lose(after error: SystemError) {
        device = nil
        nextLook = now() + Self.step
        report(Notice(.captureMicrophone, "the microphone '\(name)' is lost: \(error.reason); recording silence"))
    }

    /// Looks for the microphone. One with another format is rejected.
    private func lookAgain() {
        guard now() >= nextLook else { return }
        nextLook = now() + Self.step
        guard let found = try? open(name), found.sampleRate == sampleRate, found.channelCount == channelCount,
            (try? found.start()) != nil
        else { return }
        device = found
        report(Notice(.captureMicrophone, "the microphone '\(name)' is back"))
    }
}

extension TranscodeError {
    fileprivate static func microphone(_ name: String, _ error: SystemError) -> TranscodeError {
        let message: Message =
            switch error.code {
            case ENOENT, ENODEV, ENXIO: "there is no microphone '\(name)'"
            case EBUSY: "another program uses the microphone '\(name)'"
            case EACCES, EPERM: "permission to use the microphone '\(name)' is denied: \(error.reason)"
            default: "the microphone '\(name)' cannot be recorded: \(error.reason)"
            }
        return TranscodeError(
            .microphoneUnusable, message,
            hint: error.code == EACCES ? "add your user to the group audio" : "vtx devices lists the microphones"
        ).caused(by: "\(error)")
    }
}

/// Determines when samples of an audio device were recorded. Timestamps jitter with the driver's polling; samples do
/// not. Pure.
///
/// The device's clock is slightly fast or slow: timestamps follow the machine's clock, and the encoder stretches the
/// samples.
struct SampleClock: Sendable {
    /// The fraction of the difference that each block corrects.
    private static let gain = 0.02
    /// A larger difference is a gap. In seconds.
    private static let tolerance = 0.05

    let sampleRate: Int
    private var next: Double?

    init(sampleRate: Int) { self.sampleRate = sampleRate }

    /// - Parameters:
    ///   - measured: The time of the first sample according to the driver, in seconds.
    ///   - sampleCount: The number of consecutive samples.
    /// - Returns: the time without jitter.
    mutating func time(of measured: Double, sampleCount: Int) -> Double {
        let expected = next ?? measured
        let difference = measured - expected
        let time = abs(difference) > Self.tolerance ? measured : expected + difference * Self.gain
        next = time + Double(sampleCount) / Double(sampleRate)
        return time
    }
}

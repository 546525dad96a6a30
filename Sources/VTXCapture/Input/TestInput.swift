package import VTXFFmpeg
package import VTXMedia
package import VTXTask

/// The test picture with short beeps, one per second.
///
/// Unchecked: one thread at a time calls it.
package final class TestInput: CaptureSource, @unchecked Sendable {
    private let picture: TestSource
    private let tone: FilterGraph?
    private let conversion: InputAudio?
    /// The duration of the generated tone.
    private var seconds = 0.0

    package init(size: PixelSize, frameRate: Rational, hasAudio: Bool) throws(TranscodeError) {
        picture = try TestSource(size: size, frameRate: frameRate)
        guard hasAudio else {
            (tone, conversion) = (nil, nil)
            return
        }
        do throws(FFmpegError) {
            tone = try FilterGraph(generating: Self.chain, isAudio: true)
            conversion = try InputAudio()
        } catch { throw TranscodeError(.filter, "no test tone can be made: \(error)") }
    }

    private static let chain =
        "sine=frequency=440:beep_factor=4:sample_rate=48000:samples_per_frame=1024,aformat=channel_layouts=stereo"

    package var format: CaptureFormat { picture.format }
    package var audio: CaptureAudioFormat? { conversion?.format }

    package func start() { picture.start() }

    package func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        guard let next = try picture.next(within: seconds) else { return nil }
        makeTone(until: next.time.seconds - picture.beginning.seconds + 1 / format.frameRate.value)
        return next
    }

    package func finishAudio(at end: MediaTime) {
        makeTone(until: end.seconds - picture.beginning.seconds)
        conversion?.finish()
    }

    /// Generates the tone. Picture and tone start at zero.
    private func makeTone(until end: Double) {
        while let tone, seconds < end, case .unit(let frame)? = try? tone.receive() {
            seconds += Double(frame.sampleCount) / 48_000
            conversion?.take(frame)
        }
    }

    package func takeAudio() -> [Packet] {
        let packets = conversion?.takePackets() ?? []
        for packet in packets { packet.shift(by: picture.beginning.rescaled(to: packet.timeBase).ticks) }
        return packets
    }
}

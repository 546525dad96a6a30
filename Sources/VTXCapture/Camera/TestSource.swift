import Glibc
import VTXFFmpeg
package import VTXMedia
import VTXSystem
package import VTXTask

/// A test picture that simulates a camera in real time (libavfilter: `testsrc2`).
///
/// Unchecked: one thread at a time calls it.
package final class TestSource: CaptureSource, @unchecked Sendable {
    package let format: CaptureFormat
    private let graph: FilterGraph
    /// The time of the first frame on the monotonic clock, like a camera's; zero before `start()`.
    private(set) var beginning = MediaTime(0, MediaTime.microseconds)
    /// The index of the next frame.
    private var index: Int64 = 0

    package init(size: PixelSize, frameRate: Rational) throws(TranscodeError) {
        let rate = "\(frameRate.numerator)/\(frameRate.denominator)"
        do throws(FFmpegError) {
            graph = try FilterGraph(generating: "testsrc2=size=\(size):rate=\(rate),format=yuv420p")
        } catch { throw TranscodeError(.filter, "no test picture of \(size) can be made: \(error)") }
        format = CaptureFormat(name: "test picture", size: size, frameRate: frameRate, color: .bt709)
    }

    package func start() {
        beginning = MediaTime(seconds: MonotonicClock.seconds).rescaled(to: MediaTime.microseconds)
    }

    package func next(within seconds: Double) throws(TranscodeError) -> CapturedPicture? {
        let due = beginning.seconds + Double(index) / format.frameRate.value
        let wait = due - MonotonicClock.seconds
        if wait > 0 { Self.sleep(min(wait, seconds)) }
        guard wait <= seconds else { return nil }
        // Like a camera, it drops frames if the reader is late.
        let missing = max(0, Int64(-wait * format.frameRate.value))
        index += missing
        defer { index += 1 }
        let frame: Frame?
        do throws(FFmpegError) {
            if case .unit(let made) = try graph.receive() { frame = made } else { frame = nil }
        } catch { throw TranscodeError(.filter, "no test picture can be made: \(error)") }
        let passed = MediaTime(index, format.frameRate.reciprocal).rescaled(to: MediaTime.microseconds)
        let time = MediaTime(beginning.ticks + passed.ticks, MediaTime.microseconds)
        return CapturedPicture(frame.map { .frame($0) } ?? .damaged, time: time, missingCount: Int(missing))
    }

    private static func sleep(_ seconds: Double) {
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        nanosleep(&time, nil)
    }
}

import Glibc
import VTXFFmpeg
import VTXMedia
import VTXSystem
import VTXTask

/// An input that is read once, from its beginning to its end.
protocol SequentialInput: ByteSource {
    /// The name in messages.
    var name: String { get }
    /// Whether it waits until it is read: a file does; a pipe would stall a live sender.
    var waitsForEncoder: Bool { get }
    var end: InputEnd { get }
}

extension SequentialInput {
    /// Ends the current and later reads. Any thread may call it.
    func stop() { end.reach() }
}

/// When an input that may wait for data ends. Any thread may change it.
final class InputEnd: Sendable {
    private struct State {
        var isReached = false
        /// On the monotonic clock.
        var deadline = Double.infinity
    }

    private let state = Locked(State())

    var isReached: Bool { state.withLock(\.isReached) }
    /// Whether it is no longer worth waiting.
    var isDue: Bool { state.withLock { MonotonicClock.seconds >= $0.deadline } }

    func reach() { state.withLock { $0.isReached = true } }
    /// Limits further waiting, in seconds from now.
    func limit(to seconds: Double) { state.withLock { $0.deadline = MonotonicClock.seconds + seconds } }
}

/// Opens a sequential input, once.
final class SequentialOpener: InputOpener {
    /// Formats that can be read sequentially. None of them refers to other files.
    private static let formats = [
        "mpegts", "flv", "live_flv", "matroska", "webm", "mov", "mp4", "mpeg", "h264", "hevc", "mjpeg",
    ]

    var name: String { bytes.name }
    let isNetwork = false
    var waitsForEncoder: Bool { bytes.waitsForEncoder }
    private let request: CaptureRequest
    private let decoders: any CaptureDecoderOpener
    private let bytes: any SequentialInput

    init(_ bytes: any SequentialInput, _ request: CaptureRequest, _ decoders: any CaptureDecoderOpener) {
        (self.bytes, self.request, self.decoders) = (bytes, request, decoders)
    }

    func open(within seconds: Double?) throws(TranscodeError) -> InputConnection {
        let demuxer: Demuxer
        do throws(FFmpegError) {
            demuxer = try Demuxer(live: bytes, formats: Self.formats, frameRate: request.frameRate)
        } catch {
            throw TranscodeError(
                .inputNotMedia, "\(name) cannot be recorded: \(error)",
                hint: "MPEG-TS, FLV, Matroska, fragmented MP4, H.264 and HEVC can be read while they are written"
            ).caused(by: "\(error)")
        }
        return try InputConnection(demuxer, name: name, takesAudio: request.takesAudio, decoders)
    }

    func limitWaiting(to seconds: Double) { bytes.end.limit(to: seconds) }

    func stop() { bytes.stop() }
}

/// Reads from a pipe until it ends or is stopped.
final class StandardInput: SequentialInput {
    /// The interval for checking whether to stop, in milliseconds.
    private static let step: Int32 = 100
    let name = StandardStream.input(StandardStream.path)
    let waitsForEncoder = false
    let end = InputEnd()
    private let descriptor: FileDescriptor

    init() throws(TranscodeError) {
        do throws(SystemError) { descriptor = try FileDescriptor(duplicating: STDIN_FILENO) } catch {
            throw TranscodeError(.inputOpen, "\(name) cannot be read: \(error.reason)").caused(by: "\(error)")
        }
    }

    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        while !end.isReached {
            var polled = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            if poll(&polled, 1, Self.step) == 1 { return try descriptor.read(into: &target) }
            if end.isDue { stop() }
        }
        return 0
    }
}

/// A file that another program may still be writing, read as by `tail -f`. It ends when it has not grown for a time.
final class GrowingFile: SequentialInput {
    /// The interval for checking whether it has grown, in seconds.
    private static let step = 0.1
    let name: String
    let waitsForEncoder = true
    private let descriptor: FileDescriptor
    private let timeout: Double
    let end = InputEnd()

    /// - Parameter timeout: How long to wait at its end, in seconds.
    init(_ path: String, timeout: Double) throws(TranscodeError) {
        name = StandardStream.input(path)
        self.timeout = timeout
        // Opening a FIFO would wait for its writer, and opening some devices has an effect.
        if let kind = FileStatus(path)?.kind, kind != .regular {
            throw TranscodeError(
                .inputNotAFile, "\(name) is not a regular file", hint: "- is standard input, also from a pipe")
        }
        do throws(SystemError) { descriptor = try FileDescriptor(opening: path) } catch {
            throw .unreadable(name, error)
        }
    }

    func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        let deadline = MonotonicClock.seconds + timeout
        while !end.isReached {
            let count = try descriptor.read(into: &target)
            guard count == 0 else { return count }
            // libavformat reads again after the end.
            guard !end.isDue, MonotonicClock.seconds < deadline else {
                stop()
                break
            }
            Poll.wait(for: [], seconds: Self.step)
        }
        return 0
    }
}

extension TranscodeError {
    fileprivate static func unreadable(_ name: String, _ error: SystemError) -> TranscodeError {
        let kind: ErrorKind =
            error.code == ENOENT ? .inputNotFound : error.code == EACCES ? .inputPermission : .inputOpen
        return TranscodeError(kind, "\(name) cannot be read: \(error.reason)").caused(by: error.reason)
    }
}

import Glibc
import VTXMedia
import VTXSystem

/// A place that takes text: standard output, standard error, or a test's memory.
protocol TextSink: Sendable {
    /// Writes all of the text at once, without a buffer.
    func write(_ text: String)
    /// False once the reader has gone, or nothing can be written: a long listing can stop.
    var hasReader: Bool { get }
}

extension TextSink {
    var hasReader: Bool { true }
}

/// A file descriptor as a sink.
///
/// A reader that has gone away (`vtx man | head -1`) is no error: what follows is dropped. Any other failure is
/// kept for the end of the program.
final class DescriptorSink: TextSink {
    private let descriptor: Int32
    private let state = Locked(State.open)

    private enum State: Sendable, Equatable {
        case open
        case readerGone
        case failed(Int32)
    }

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// The `errno` of the write that failed; nil while all went well.
    var failure: Int32? {
        state.withLock { if case .failed(let code) = $0 { code } else { nil } }
    }

    var hasReader: Bool { state.withLock { $0 == .open } }

    func write(_ text: String) {
        var text = text
        state.withLock { state in
            guard state == .open else { return }
            let code = text.withUTF8 { Self.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
            if code != 0 { state = code == EPIPE ? .readerGone : .failed(code) }
        }
    }

    /// 0, or the `errno` of the write that failed.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                // The pipe is non-blocking; wait as a blocking one would.
                var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&poller, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}

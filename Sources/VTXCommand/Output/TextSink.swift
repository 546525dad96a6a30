import Glibc
import VTXMedia
import VTXSystem

/// A place that takes text: standard output, standard error, or a test's memory.
package protocol TextSink: Sendable {
    /// Writes all of the text at once, without a buffer.
    func write(_ text: String)
    /// False once the reader has gone, or nothing can be written: a long listing can stop.
    var hasReader: Bool { get }
    /// While this descriptor can be read, what cannot be written soon counts as having no reader.
    func giveUp(whenReadable descriptor: Int32)
}

extension TextSink {
    var hasReader: Bool { true }
    func giveUp(whenReadable descriptor: Int32) {}
}

/// A file descriptor as a sink.
///
/// A reader that has gone away (`vtx man | head -1`) is no error: what follows is dropped. Any other failure is
/// kept for the end of the program.
final class DescriptorSink: TextSink {
    private let descriptor: Int32
    private let state = Locked(State.open)
    private let request = Locked<Int32?>(nil)

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

    func giveUp(whenReadable descriptor: Int32) { request.withLock { $0 = descriptor } }

    func write(_ text: String) {
        let request = request.withLock(\.self)
        state.withLock { state in
            guard state == .open else { return }
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                if let request, !waitsForRoom(unless: request) { return state = .readerGone }
                // A pipe with any room takes this much at once.
                let part = request == nil ? rest : rest.prefix(Int(PIPE_BUF))
                do throws(SystemError) {
                    try FileDescriptor.writeAll(part.span.bytes, to: descriptor)
                } catch { return state = error.code == EPIPE ? .readerGone : .failed(error.code) }
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// - Returns: false where there is a request to stop, and no reader.
    private func waitsForRoom(unless request: Int32) -> Bool {
        Poll.wait(for: [.writable(descriptor), .readable(request)], seconds: nil)
        return Poll.has(.writable(descriptor), within: 0.2)
    }
}

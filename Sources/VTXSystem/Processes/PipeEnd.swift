import CSystem
import Glibc

/// One end of a pipe, of which another program has the other. Reading and writing wait for that program, until they are
/// told to stop. What is no pipe, such as a file that a shell has opened, is read and written forward likewise.
package final class PipeEnd: Sendable {
    private let descriptor: FileDescriptor
    private let stopped: WakeUp
    /// Bytes that a write may have.
    private let partSize: Int
    private let onWait: @Sendable () -> Void

    /// - Parameters:
    ///   - number: stays open.
    ///   - onWait: called once a second as long as the other program does nothing.
    package init(duplicating number: Int32, onWait: @escaping @Sendable () -> Void = {}) throws(SystemError) {
        descriptor = try FileDescriptor(duplicating: number)
        stopped = try WakeUp()
        // A pipe that can be written takes this many bytes at once; more would block.
        partSize = descriptor.status?.kind == .regular ? 1 << 20 : Int(PIPE_BUF)
        self.onWait = onWait
    }

    package var status: FileStatus? { descriptor.status }

    /// Whether people are at the other end.
    package var isTerminal: Bool { isatty(descriptor.number) == 1 }

    /// Ends waiting, now and later on: what waits throws `ECANCELED`.
    package func stop() { stopped.wake() }

    /// - Returns: how many bytes have come; 0 at the end.
    package func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        while true {
            try wait(for: .readable(descriptor.number))
            do throws(SystemError) { return try descriptor.read(into: &target) } catch {
                // Another process has read what was there.
                guard error.code == EAGAIN else { throw error }
            }
        }
    }

    /// Writes everything.
    package func write(_ bytes: RawSpan) throws(SystemError) {
        var written = 0
        while written < bytes.byteCount {
            try wait(for: .writable(descriptor.number))
            let count = min(partSize, bytes.byteCount - written)
            try FileDescriptor.writeAll(bytes.extracting(written..<written + count), to: descriptor.number)
            written += count
        }
    }

    private func wait(for event: Poll.Event) throws(SystemError) {
        while true {
            let hasHappened = Poll.wait(for: [event, .readable(stopped.number)], seconds: 1)
            if Poll.has(.readable(stopped.number)) { throw SystemError("poll", ECANCELED) }
            if hasHappened { return }
            onWait()
        }
    }
}

/// Standard output, for a program that writes data there.
package enum StandardOutput {
    /// Takes it from everything else in this process: what libraries and drivers print goes to standard error.
    ///
    /// - Returns: the descriptor that leads where standard output led.
    package static func take() throws(SystemError) -> FileDescriptor {
        let taken = try FileDescriptor(duplicating: STDOUT_FILENO)
        guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { throw SystemError("dup2", errno) }
        return taken
    }
}

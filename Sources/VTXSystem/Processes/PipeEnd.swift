import CSystem
import Glibc

/// One end of a pipe to another program. Reading and writing wait for that program until they are stopped. Other files,
/// such as those opened by a shell, are read and written sequentially in the same way.
package final class PipeEnd: Sendable {
    private let descriptor: FileDescriptor
    private let stopped: WakeUp
    /// The maximum size of a write, in bytes.
    private let partSize: Int
    private let onWait: @Sendable () -> Void
    /// The maximum duration of a wait, in seconds; nil for no limit.
    private let waitLimit = Locked<Int?>(nil)
    private let written = Locked<Int64>(0)

    /// - Parameters:
    ///   - number: The descriptor, which stays open.
    ///   - onWait: Called once per second while the other program does nothing.
    package init(duplicating number: Int32, onWait: @escaping @Sendable () -> Void = {}) throws(SystemError) {
        descriptor = try FileDescriptor(duplicating: number)
        stopped = try WakeUp()
        // A writable pipe accepts this many bytes without blocking.
        partSize = descriptor.status?.kind == .regular ? 1 << 20 : Int(PIPE_BUF)
        self.onWait = onWait
    }

    /// The number of bytes written.
    package var byteCount: Int64 { written.withLock(\.self) }

    package var status: FileStatus? { descriptor.status }

    /// Whether the other end is a terminal.
    package var isTerminal: Bool { isatty(descriptor.number) == 1 }

    /// Stops current and later waits, which throw `ECANCELED`.
    package func stop() { stopped.wake() }

    /// Limits current and later waits. One in which the other program does nothing for so long throws `ETIMEDOUT`.
    package func limitWaits(toSeconds seconds: Int) { waitLimit.withLock { $0 = seconds } }

    /// - Returns: the number of bytes read; 0 at the end.
    package func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        while true {
            try wait(for: .readable(descriptor.number))
            do throws(SystemError) { return try descriptor.read(into: &target) } catch {
                // Another process has read the data.
                guard error.code == EAGAIN else { throw error }
            }
        }
    }

    package func write(_ bytes: RawSpan) throws(SystemError) {
        var start = 0
        while start < bytes.byteCount {
            try wait(for: .writable(descriptor.number))
            let part = start..<min(start + partSize, bytes.byteCount)
            try FileDescriptor.writeAll(bytes.extracting(part), to: descriptor.number)
            written.withLock { $0 += Int64(part.count) }
            start = part.upperBound
        }
    }

    private func wait(for event: Poll.Event) throws(SystemError) {
        var waited = 0
        while true {
            let hasHappened = Poll.wait(for: [event, .readable(stopped.number)], seconds: 1)
            if Poll.has(.readable(stopped.number)) { throw SystemError("poll", ECANCELED) }
            if hasHappened { return }
            onWait()
            guard let limit = waitLimit.withLock(\.self) else { continue }
            waited += 1
            if waited >= limit { throw SystemError("poll", ETIMEDOUT) }
        }
    }
}

/// Reserves standard output for a program's data.
package enum StandardOutput {
    /// Takes over standard output. What libraries and drivers print then goes to standard error.
    ///
    /// - Returns: a descriptor of the original standard output.
    package static func take() throws(SystemError) -> FileDescriptor {
        let taken = try FileDescriptor(duplicating: STDOUT_FILENO)
        guard dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else { throw SystemError("dup2", errno) }
        return taken
    }
}

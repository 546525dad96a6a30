import CSystem
import Glibc

/// Two ends of a pipe. No other process inherits them.
package struct Pipe: ~Copyable {
    package var reading: FileDescriptor
    package var writing: FileDescriptor

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe", errno) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
    }

    /// The one end; the other is closed.
    package consuming func takeReading() -> FileDescriptor { reading }
    package consuming func takeWriting() -> FileDescriptor { writing }
}

extension FileDescriptor {
    /// Reads and writes return at once from now on; all who have the same open file see that.
    package func makeNonBlocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
}

import Glibc
import VTXMedia
import VTXSystem

/// A pipe of which neither end is inherited by other processes.
struct ReportPipe {
    /// Never blocks.
    let reading: Int32
    let writing: Int32

    /// - Throws: the `errno` of pipe(2).
    init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("pipe", errno) }
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    }
}

/// What a descriptor that never blocks has to say now.
enum ReadResult {
    case bytes([UInt8])
    case nothingYet
    case end

    static func read(from descriptor: Int32) -> ReadResult {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &buffer, buffer.count)
        if count > 0 { return .bytes(Array(buffer.prefix(count))) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .nothingYet : .end
    }
}

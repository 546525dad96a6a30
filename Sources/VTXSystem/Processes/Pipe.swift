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

/// Makes lines out of bytes that come in pieces.
package struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    private let longest: Int

    /// - Parameter longest: bytes; a longer line is left out, so that a writer that never ends one takes no memory.
    package init(longest: Int) { self.longest = longest }

    /// The lines that these bytes complete, without their ends.
    package mutating func add(_ bytes: [UInt8]) -> [String] {
        rest += bytes
        guard let end = rest.lastIndex(of: newline) else {
            if rest.count > longest { rest = [] }
            return []
        }
        let lines = rest[..<end].split(separator: newline).filter { $0.count <= longest }
        let texts = lines.map { String(decoding: $0, as: UTF8.self) }
        rest.removeSubrange(...end)
        return texts
    }
}

private let newline = UInt8(ascii: "\n")

import CSystem
import Glibc

/// A pipe, which other processes do not inherit.
package struct Pipe: ~Copyable {
    package var reading: FileDescriptor
    package var writing: FileDescriptor

    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw SystemError("pipe", errno) }
        reading = FileDescriptor(owning: ends[0])
        writing = FileDescriptor(owning: ends[1])
    }

    /// Returns one end and closes the other.
    package consuming func takeReading() -> FileDescriptor { reading }
    package consuming func takeWriting() -> FileDescriptor { writing }
}

/// Splits a byte stream into lines.
package struct LineSplitter: Sendable {
    private var rest: [UInt8] = []
    private let longest: Int

    /// - Parameter longest: The maximum length in bytes. Longer lines are dropped, so that an endless line uses no
    ///   memory.
    package init(longest: Int) { self.longest = longest }

    /// Returns the lines that these bytes complete, without newlines.
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

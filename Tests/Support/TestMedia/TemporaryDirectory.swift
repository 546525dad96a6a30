import Glibc
import VTXFFmpeg

/// A directory for one test, removed at its end.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws {
        LibrarySilence.begin()
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/vtx-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { TemporaryDirectory.remove(path) }

    /// A path in the directory; nothing is created.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The directory's entries, sorted, including hidden ones.
    package var names: [String] { TemporaryDirectory.names(in: path) }

    /// The entries of a subdirectory.
    package func names(in child: String) -> [String] { TemporaryDirectory.names(in: file(child)) }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        for name in names(in: path) {
            let child = "\(path)/\(name)"
            if unlink(child) != 0 { remove(child) }
        }
        rmdir(path)
    }
}

/// Silences libav*'s messages about damaged media.
enum LibrarySilence {
    private static let once: Void = LibraryLog.redirect(level: .error, to: nil)

    static func begin() { once }
}

/// A failed system call, with the system's message.
package struct SystemError: Error, CustomStringConvertible {
    package let description: String

    package init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}

import Glibc
import VTXSystem

/// A directory for one test.
final class TestDirectory: Sendable {
    let path: String

    init() throws { path = try Directory.makeTemporary("vtx-service-test") }

    /// A directory in that of a test.
    init(existing path: String) { self.path = path }

    deinit { Directory.removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = try FileDescriptor(opening: self.file(name), O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o644)
        try file.writeAll(text)
        return self.file(name)
    }

    /// A shell script. Another process writes it: a file open for writing cannot be executed, and processes of other
    /// tests briefly inherit all open descriptors.
    func writeScript(_ text: String, to name: String) throws -> String {
        let commands = "printf '#!/bin/sh\\n%s\\n' \"$1\" >\"$2\" && chmod 755 \"$2\""
        var shell = try Subprocess(
            Launch(executable: "/bin/sh", arguments: ["sh", "-c", commands, "sh", text, file(name)]))
        guard shell.wait() == .exited(0) else { throw SystemError("sh", EIO) }
        return file(name)
    }

    func makeDirectory(_ name: String) -> String {
        mkdir(file(name), 0o700)
        return file(name)
    }

    func text(_ name: String) -> String? { TextFile.read(file(name)) }
}

import Glibc
import VTXSystem

/// A directory of its own for one test.
final class TestDirectory: Sendable {
    let path: String

    init() throws { path = try Directory.makeTemporary("vtx-service-test") }

    deinit { Directory.removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    @discardableResult
    func write(_ text: String, to name: String, permissions: UInt32 = 0o644) throws -> String {
        let file = try FileDescriptor(
            opening: self.file(name), O_WRONLY | O_CREAT | O_TRUNC, permissions: permissions)
        try file.writeAll(text)
        return self.file(name)
    }

    func makeDirectory(_ name: String) -> String {
        mkdir(file(name), 0o700)
        return file(name)
    }

    func text(_ name: String) -> String? { TextFile.read(file(name)) }
}

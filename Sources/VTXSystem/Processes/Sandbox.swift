import CSystem
import Glibc

/// Permanently restricts a thread to what its work needs: files, network, and system calls that codecs make (C:
/// `landlock_restrict_self`, `seccomp`, `PR_SET_NO_NEW_PRIVS`).
package struct Sandbox: Sendable, Hashable {
    /// Files, and directories with their contents. Missing ones are ignored.
    package var readable: [String]
    /// Directories in which files may also be created, changed and removed.
    package var writable: [String]

    package init(readable: [String], writable: [String]) {
        (self.readable, self.writable) = (readable, writable)
    }

    /// Whether this kernel supports Landlock and allows it for this process.
    package static var isAvailable: Bool { system_landlock_version() > 0 }

    /// Restricts the calling thread, and the threads and programs that it starts from now on.
    package func enter() throws(SystemError) {
        guard system_give_up_new_privileges() == 0 else { throw SystemError("prctl", errno) }
        try restrictFiles()
        guard system_refuse_calls() == 0 else { throw SystemError("seccomp", errno) }
    }

    /// Limits this process, and those that it starts, because its input may be hostile: it leaves no core file, has a
    /// bounded number of open files, and is the first to be killed if memory runs out.
    package static func limitProcess() {
        system_limit_cores_and_files(4096)
        // Ignored where the container has the last word.
        try? FileDescriptor(opening: "/proc/self/oom_score_adj", O_WRONLY).writeAll(Array("500".utf8))
    }

    private func restrictFiles() throws(SystemError) {
        let version = system_landlock_version()
        guard version > 0 else { throw SystemError("landlock_create_ruleset", errno) }
        let known = FileAccesses.all(inVersion: version)
        let number = system_landlock_rules(known.rawValue)
        guard number >= 0 else { throw SystemError("landlock_create_ruleset", errno) }
        let rules = FileDescriptor(owning: number)
        for path in readable { try Self.allow(.reading, at: path, rules) }
        for path in writable { try Self.allow(known, at: path, rules) }
        guard system_landlock_enter(rules.number) == 0 else { throw SystemError("landlock_restrict_self", errno) }
    }

    private static func allow(
        _ accesses: FileAccesses, at path: String, _ rules: borrowing FileDescriptor
    ) throws(SystemError) {
        guard let file = try? FileDescriptor(opening: path, O_PATH) else { return }
        let isDirectory = file.status?.kind == .directory
        let allowed = isDirectory ? accesses : accesses.intersection(.ofFiles)
        guard system_landlock_allow(rules.number, file.number, allowed.rawValue) == 0 else {
            throw SystemError("landlock_add_rule '\(path)'", errno)
        }
    }
}

/// Access rights to files (C: `LANDLOCK_ACCESS_FS_*`).
private struct FileAccesses: OptionSet {
    let rawValue: UInt64

    static let execute = FileAccesses(rawValue: 1 << 0)
    static let writeFile = FileAccesses(rawValue: 1 << 1)
    static let readFile = FileAccesses(rawValue: 1 << 2)
    static let readDirectory = FileAccesses(rawValue: 1 << 3)
    static let truncate = FileAccesses(rawValue: 1 << 14)

    static let reading: FileAccesses = [.execute, .readFile, .readDirectory]
    static let ofFiles: FileAccesses = [.execute, .writeFile, .readFile, .truncate]

    /// The first version has creating and removing names; later ones add moving between directories, then truncating.
    static func all(inVersion version: Int32) -> FileAccesses {
        FileAccesses(rawValue: version == 1 ? 0x1fff : version == 2 ? 0x3fff : 0x7fff)
    }
}

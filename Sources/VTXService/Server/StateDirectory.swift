import Glibc
import VTXSystem

/// The directory of the service's own files, used by one server at a time.
package struct StateDirectory: ~Copyable, Sendable {
    package let path: String
    private let lock: FileDescriptor

    package static let folders = ["outputs", "thumbnails", "uploads", "work"]

    /// - Throws: if it cannot be created, or another server uses it.
    package init(_ path: String) throws(Problem) {
        do throws(SystemError) { self = try Self(locking: path) } catch {
            if error.code == EWOULDBLOCK { throw Problem(409, "state.inUse", "another server uses '\(path)'") }
            throw Problem(500, "state.unusable", "the state directory '\(path)' cannot be used: \(error.reason)")
        }
    }

    private init(locking path: String) throws(SystemError) {
        try Self.make(path)
        let lock = try FileDescriptor(opening: "\(path)/lock", O_RDWR | O_CREAT, permissions: 0o600)
        guard lock.lock() else { throw SystemError("flock '\(path)'", EWOULDBLOCK) }
        _ = try Self.make(path, folders: Self.folders)
        self.path = try OpenDirectory(path).path
        self.lock = lock
    }

    static func make(_ path: String, folders: [String]) throws(SystemError) -> String {
        try make(path)
        for folder in folders { try make("\(path)/\(folder)") }
        return path
    }

    /// Creates it as private, because it contains digests of tokens and files of others.
    private static func make(_ path: String) throws(SystemError) {
        if FileStatus(path)?.kind == .directory { return }
        let parent = FileName.directory(of: path).directory
        if path != parent, FileStatus(parent) == nil { try make(parent) }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError("mkdir '\(path)'", errno) }
    }

    /// $STATE_DIRECTORY (systemd), $XDG_STATE_HOME/vtx, /var/lib/vtx for root, otherwise ~/.local/state/vtx.
    package static var standard: String {
        let variable = { (name: String) in getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 } }
        if let directory = variable("STATE_DIRECTORY") { return String(directory.split(separator: ":")[0]) }
        if let home = variable("XDG_STATE_HOME") { return "\(home)/vtx" }
        if geteuid() == 0 { return "/var/lib/vtx" }
        return "\(variable("HOME") ?? ".")/.local/state/vtx"
    }
}

/// Reports the state of the service to systemd (sd_notify(3)), if it is running.
enum ServiceManager {
    static func isReady() { notify("READY=1") }
    static func isStopping() { notify("STOPPING=1") }
    /// Sends the watchdog's keep-alive. systemd ends a service that does not send it in time.
    static func isAlive() { notify("WATCHDOG=1") }

    private static func notify(_ state: String) {
        guard let path = getenv("NOTIFY_SOCKET") else { return }
        UnixDatagram.send(state, to: String(cString: path))
    }
}

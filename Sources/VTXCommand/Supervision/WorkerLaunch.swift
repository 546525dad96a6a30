@preconcurrency import Glibc
import VTXSystem

/// What to start as a process of its own.
struct WorkerLaunch: Sendable {
    /// A path; PATH is not searched.
    var executable: String
    /// The program's name first.
    var arguments: [String]
    /// What is added to this process's own environment.
    var environment: [String: String] = [:]

    /// This program once more, even where its file has been replaced since.
    static func same(with arguments: [String]) -> WorkerLaunch {
        var launch = WorkerLaunch(executable: "/proc/self/exe", arguments: arguments)
        // On a terminal Swift's runtime would ask the user what to do about a crash, for half a minute.
        if getenv(backtraces) == nil { launch.environment[backtraces] = "enable=no" }
        return launch
    }

    static let backtraces = "SWIFT_BACKTRACE"

    /// - Parameter actions: what is done to the child's descriptors (C: `posix_spawn_file_actions_t`).
    func start(_ actions: UnsafePointer<posix_spawn_file_actions_t>? = nil) throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process waits for signals on one thread and blocks them elsewhere; its child starts without.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var identifier: pid_t = 0
        let code = withArguments { arguments in
            withEnvironment { environment in
                posix_spawn(&identifier, executable, actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw SystemError("posix_spawn \(executable)", code) }
        return identifier
    }

    /// Makes this process the program (C: `execve`).
    ///
    /// - Returns: why that failed.
    func replaceProcess() -> SystemError {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        withArguments { arguments in
            withEnvironment { environment in _ = execve(executable, arguments, environment) }
        }
        return SystemError("execve \(executable)", errno)
    }

    /// `NAME=VALUE` each: the environment of this process, byte for byte, with the additions.
    func withEnvironment<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var entry = environ
        while let text = entry.pointee {
            if !isReplaced(text) { entries.append(strdup(text)) }
            entry += 1
        }
        for (name, value) in environment { entries.append(strdup("\(name)=\(value)")) }
        return Self.withNullAtEnd(entries, body)
    }

    func withArguments<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result) -> Result {
        Self.withNullAtEnd(arguments.map { strdup($0) }, body)
    }

    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        environment.keys.contains { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }
    }

    /// Frees the strings afterwards.
    private static func withNullAtEnd<Result>(
        _ strings: [UnsafeMutablePointer<CChar>?],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        defer { strings.forEach { free($0) } }
        return (strings + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

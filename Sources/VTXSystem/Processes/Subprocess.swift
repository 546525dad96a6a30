import CSystem
@preconcurrency import Glibc

/// A program to start.
package struct Launch: Sendable, Hashable {
    /// A path; PATH is not searched.
    package var executable: String
    /// The program's name first.
    package var arguments: [String]
    /// Variables that are added to this process's environment.
    package var environment: [String: String] = [:]
    /// Signals that are blocked in the program; others are not, independent of this process.
    package var blockedSignals: [Int32] = []

    package init(executable: String, arguments: [String], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// Suppresses output of libraries: Swift's runtime asks users on a terminal about a crash for half a minute;
    /// SVT-AV1 writes to standard error.
    private static let quiet = ["SWIFT_BACKTRACE": "enable=no", "SVT_LOG": "0"]

    /// One of vtx's programs. Users can set the variables to see the libraries' output.
    package init(quiet executable: String, arguments: [String]) {
        self.init(executable: executable, arguments: arguments)
        environment = Self.quiet.filter { getenv($0.key) == nil }
    }

    /// This program again, even if its file has been replaced.
    package static func same(with arguments: [String]) -> Launch {
        Launch(quiet: "/proc/self/exe", arguments: arguments)
    }

    /// A program installed with this one: next to it, or one in bin and the other in libexec/vtx.
    ///
    /// - Parameter arguments: The program's name first.
    /// - Throws: if there is none.
    package static func installed(_ name: String, with arguments: [String]? = nil) throws(SystemError) -> Launch {
        let directory = FileName.directory(of: TextFile.linkTarget("/proc/self/exe") ?? "").directory
        let places = ["", "../libexec/vtx/", "../../bin/"].map { "\(directory)/\($0)\(name)" }
        guard let path = places.first(where: { access($0, X_OK) == 0 }) else {
            throw SystemError("'\(places[0])'", ENOENT)
        }
        return Launch(quiet: path, arguments: arguments ?? [name])
    }

    /// Replaces this process with the program (C: `execve`).
    ///
    /// - Returns: why that failed.
    package func replaceProcess() -> SystemError {
        var mask = signalMask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        withStrings { arguments, environment in _ = execve(executable, arguments, environment) }
        return SystemError("execve \(executable)", errno)
    }
}

/// A child process. The owner waits for its exit with `reap`.
///
/// It is in this process's group, so that a terminal's Ctrl-Z stops both, and has the same standard descriptors.
package struct Subprocess: ~Copyable {
    package let identifier: Int32
    package private(set) var ending: ProcessEnding?

    /// - Parameters:
    ///   - descriptors: Additional descriptors that the child inherits under the same numbers.
    ///   - isSilent: Whether it has no input, and its output is discarded.
    ///   - output: Its standard output and standard error; nil for those of this process.
    package init(
        _ launch: Launch, keeping descriptors: [Int32] = [], isSilent: Bool = false,
        output: (standard: Int32, error: Int32)? = nil
    ) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Duplicating it onto itself keeps it open in the child only.
        for number in descriptors { posix_spawn_file_actions_adddup2(&actions, number, number) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output.standard, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, output.error, STDERR_FILENO)
        }
        if isSilent {
            for number: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
        }
        identifier = try launch.start(&actions)
    }

    /// Returns how it ended, without waiting; nil while it is running.
    package mutating func reap() -> ProcessEnding? {
        guard ending == nil else { return ending }
        var status: Int32 = 0
        if waitpid(identifier, &status, WNOHANG) == identifier { ending = ProcessEnding(waitStatus: status) }
        return ending
    }

    /// Returns a descriptor that becomes readable when it has exited (C: `pidfd_open`).
    package func openEnd() throws(SystemError) -> FileDescriptor {
        let number = system_open_process(identifier)
        guard number >= 0 else { throw SystemError("pidfd_open", errno) }
        return FileDescriptor(owning: number)
    }

    package mutating func send(signal: Int32) {
        if reap() == nil { _ = Glibc.kill(identifier, signal) }
    }

    /// Waits until it has exited.
    package mutating func wait() -> ProcessEnding {
        if let ending { return ending }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let ending = ProcessEnding(waitStatus: status)
        self.ending = ending
        return ending
    }

    package mutating func kill() { send(signal: SIGKILL) }
}

extension Launch {
    /// Starts the program in a separate process group, because Ctrl-C on the terminal is for this process. It has no
    /// input, inherits no descriptors, and its output goes to files: standard error to `OUTPUT.log`.
    package func startAlone(output: String) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output + ".log", flags, 0o600)
        // Libraries open sockets that a child would inherit, such as a cluster's connection.
        _ = system_close_from(&actions, STDERR_FILENO + 1)
        return try start(&actions, hasOwnGroup: true)
    }

    fileprivate func start(
        _ actions: UnsafePointer<posix_spawn_file_actions_t>, hasOwnGroup: Bool = false
    ) throws(SystemError) -> Int32 {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = signalMask
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | (hasOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)))
        var identifier: Int32 = 0
        let code = withStrings { arguments, environment in
            posix_spawn(&identifier, executable, actions, &attributes, arguments, environment)
        }
        guard code == 0 else { throw SystemError("posix_spawn \(executable)", code) }
        return identifier
    }

    private var signalMask: sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in blockedSignals { sigaddset(&mask, signal) }
        return mask
    }

    private typealias Strings = UnsafePointer<UnsafeMutablePointer<CChar>?>

    private func withStrings<Result>(_ body: (_ arguments: Strings, _ environment: Strings) -> Result) -> Result {
        Self.withNullAtEnd(arguments.map { strdup($0) }) { arguments in
            Self.withNullAtEnd(wholeEnvironment) { environment in body(arguments, environment) }
        }
    }

    /// The environment as `NAME=VALUE`: this process's, byte for byte, with the additions, in a fixed order.
    private var wholeEnvironment: [UnsafeMutablePointer<CChar>?] {
        var entries: [UnsafeMutablePointer<CChar>?] = []
        var entry = environ
        while let text = entry.pointee {
            if !isReplaced(text) { entries.append(strdup(text)) }
            entry += 1
        }
        return entries + environment.sorted { $0.key < $1.key }.map { strdup("\($0.key)=\($0.value)") }
    }

    private func isReplaced(_ entry: UnsafePointer<CChar>) -> Bool {
        environment.keys.contains { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }
    }

    /// Calls `body` with a null-terminated array and frees the strings afterwards.
    private static func withNullAtEnd<Result>(
        _ strings: [UnsafeMutablePointer<CChar>?], _ body: (Strings) -> Result
    ) -> Result {
        defer { strings.forEach { free($0) } }
        return (strings + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

package enum ProcessArguments {
    /// An argument that is not UTF-8, repaired for display.
    package struct NotUTF8: Error, Hashable {
        package let repaired: String

        package init(repaired: String) { self.repaired = repaired }
    }

    /// Returns the arguments after the program's name. Swift repairs invalid UTF-8, which would change a file's name,
    /// so such an argument is an error.
    package static func read(
        _ count: Int32 = CommandLine.argc,
        _ pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = CommandLine.unsafeArgv
    ) throws(NotUTF8) -> [String] {
        var arguments: [String] = []
        for index in 1..<max(1, Int(count)) {
            guard let pointer = pointers[index] else { break }
            guard let argument = String(validatingCString: pointer) else {
                throw NotUTF8(repaired: String(cString: pointer))
            }
            arguments.append(argument)
        }
        return arguments
    }
}

/// Child processes that exit with their parent, even if that is killed.
package enum ParentProcess {
    fileprivate static let variable = "VTX_PARENT_PROCESS"

    /// Terminates this process (SIGTERM) when its parent exits, if it was started for that.
    package static func follow() {
        guard let text = getenv(variable), let number = Int32(String(cString: text)) else { return }
        // Children of this process have another parent.
        unsetenv(variable)
        _ = system_signal_at_parents_end(SIGTERM)
        // The parent may have exited before.
        if getppid() != number { raise(SIGTERM) }
    }
}

extension Launch {
    /// Makes the program, one of vtx's, exit when the calling thread ends for any reason.
    package mutating func endsWithThisProcess() { environment[ParentProcess.variable] = String(getpid()) }
}

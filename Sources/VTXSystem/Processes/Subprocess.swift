import CSystem
@preconcurrency import Glibc

/// A program to start.
package struct Launch: Sendable, Hashable {
    /// A path; PATH is not searched.
    package var executable: String
    /// The program's name first.
    package var arguments: [String]
    /// What is added to this process's own environment.
    package var environment: [String: String] = [:]
    /// Signals that the program begins with blocked; the others are not, whatever this process does.
    package var blockedSignals: [Int32] = []

    package init(executable: String, arguments: [String], environment: [String: String] = [:]) {
        self.executable = executable
        self.arguments = arguments
        self.environment = environment
    }

    /// What libraries say on their own: on a terminal Swift's runtime asks the user what to do about a crash, for half a
    /// minute; SVT-AV1 tells of itself on standard error.
    private static let quiet = ["SWIFT_BACKTRACE": "enable=no", "SVT_LOG": "0"]

    /// A program of vtx's. A user who wants to hear its libraries can set their variables.
    package init(quiet executable: String, arguments: [String]) {
        self.init(executable: executable, arguments: arguments)
        environment = Self.quiet.filter { getenv($0.key) == nil }
    }

    /// This program once more, even where its file has been replaced since.
    package static func same(with arguments: [String]) -> Launch {
        Launch(quiet: "/proc/self/exe", arguments: arguments)
    }

    /// A program that was installed with this one: beside it, or one in bin and the other in libexec/vtx.
    ///
    /// - Parameter arguments: the program's name first.
    /// - Throws: where there is none.
    package static func installed(_ name: String, with arguments: [String]? = nil) throws(SystemError) -> Launch {
        let directory = FileName.directory(of: TextFile.linkTarget("/proc/self/exe") ?? "").directory
        let places = ["", "../libexec/vtx/", "../../bin/"].map { "\(directory)/\($0)\(name)" }
        guard let path = places.first(where: { access($0, X_OK) == 0 }) else {
            throw SystemError("'\(places[0])'", ENOENT)
        }
        return Launch(quiet: path, arguments: arguments ?? [name])
    }

    /// Makes this process the program (C: `execve`).
    ///
    /// - Returns: why that failed.
    package func replaceProcess() -> SystemError {
        var mask = signalMask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        withStrings { arguments, environment in _ = execve(executable, arguments, environment) }
        return SystemError("execve \(executable)", errno)
    }
}

/// A child process. Its owner waits for its end with `reap`.
///
/// It is in this process's group: a terminal's Ctrl-Z stops both. It has this process's standard descriptors.
package struct Subprocess: ~Copyable {
    package let identifier: Int32
    package private(set) var ending: ProcessEnding?

    /// - Parameters:
    ///   - descriptors: what the child has open under the same numbers, beyond what every child inherits.
    ///   - isSilent: it reads nothing, and what it writes is dropped.
    package init(_ launch: Launch, keeping descriptors: [Int32] = [], isSilent: Bool = false) throws(SystemError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Onto itself: the child alone keeps it open.
        for number in descriptors { posix_spawn_file_actions_adddup2(&actions, number, number) }
        if isSilent {
            for number: Int32 in 0...2 { posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) }
        }
        identifier = try launch.start(&actions)
    }

    /// How it ended; nil while it runs. Never waits.
    package mutating func reap() -> ProcessEnding? {
        guard ending == nil else { return ending }
        var status: Int32 = 0
        if waitpid(identifier, &status, WNOHANG) == identifier { ending = ProcessEnding(waitStatus: status) }
        return ending
    }

    /// A descriptor that can be read once it has ended (C: `pidfd_open`).
    package func openEnd() throws(SystemError) -> FileDescriptor {
        let number = system_open_process(identifier)
        guard number >= 0 else { throw SystemError("pidfd_open", errno) }
        return FileDescriptor(owning: number)
    }

    package mutating func send(signal: Int32) {
        if reap() == nil { _ = Glibc.kill(identifier, signal) }
    }

    /// Waits until it has ended.
    package mutating func wait() -> ProcessEnding {
        if let ending { return ending }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let ending = ProcessEnding(waitStatus: status)
        self.ending = ending
        return ending
    }

    /// Ends it, whatever it does.
    package mutating func kill() { send(signal: SIGKILL) }
}

extension Launch {
    /// Starts the program in a process group of its own, since Ctrl-C on this one's terminal is for this one. It reads
    /// nothing, and what it writes goes into files: standard error into `OUTPUT.log`.
    package func startAlone(output: String) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output + ".log", flags, 0o600)
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

    /// `NAME=VALUE` each: the environment of this process, byte for byte, with the additions, always in the same order.
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

    /// Frees the strings afterwards.
    private static func withNullAtEnd<Result>(
        _ strings: [UnsafeMutablePointer<CChar>?], _ body: (Strings) -> Result
    ) -> Result {
        defer { strings.forEach { free($0) } }
        return (strings + [nil]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// The process's arguments, as they were given.
package enum ProcessArguments {
    /// One that is not UTF-8, made so to be shown.
    package struct NotUTF8: Error, Hashable {
        package let repaired: String

        package init(repaired: String) { self.repaired = repaired }
    }

    /// Those after the program's name. Swift repairs bytes that are not UTF-8, and a repaired name is another file's, so
    /// such an argument is an error.
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

/// Processes that stop with the one that has started them, even where that one is killed.
package enum ParentProcess {
    fileprivate static let variable = "VTX_PARENT_PROCESS"

    /// Has this process stop (SIGTERM) when its parent ends, where it was started so.
    package static func follow() {
        guard let text = getenv(variable), let number = Int32(String(cString: text)) else { return }
        // What this process starts has another parent.
        unsetenv(variable)
        _ = system_signal_at_parents_end(SIGTERM)
        // The parent may have ended before that.
        if getppid() != number { raise(SIGTERM) }
    }
}

extension Launch {
    /// The program, one of vtx's, stops when the calling thread ends, however that does.
    package mutating func endsWithThisProcess() { environment[ParentProcess.variable] = String(getpid()) }
}

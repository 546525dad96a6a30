import Glibc

/// The activity of a process that produces no output.
package enum ProcessActivity: Sendable, Hashable {
    /// Nothing, like a driver that waits for a GPU that does not respond.
    case idle
    /// Computing, like a slow encoder, or a driver in a busy loop.
    case busy
    /// Stopped, or waiting for a file, a pipe or a terminal, which is not a driver's fault.
    case waiting

    /// - Parameters:
    ///   - used: The processor time of all threads.
    ///   - seconds: The period in which it was used.
    ///
    /// A driver that polls its GPU with short sleeps uses little. Whether a thread is waiting for a processor at some
    /// moment is not significant: on a busy machine, such a driver's thread nearly always is.
    package init(processorSeconds used: Double, of seconds: Double) {
        self = used >= 0.1 * seconds ? .busy : .idle
    }
}

/// Measures the activity of a process through /proc. Unreadable data counts as idle.
package struct ProcessActivityMeter: Sendable {
    private let directory: String
    private var ticks: Int?

    package init(_ process: Int32) {
        directory = "/proc/\(process)"
    }

    /// Returns the process's activity in the last seconds.
    package mutating func measure(seconds: Double) -> ProcessActivity {
        guard let status = ProcessStatus(stat: read("stat")) else { return .idle }
        defer { ticks = status.ticks }
        if status.isStopped || waitsForFile { return .waiting }
        let used = Double(status.ticks - (ticks ?? status.ticks)) / Double(sysconf(Int32(_SC_CLK_TCK)))
        return ProcessActivity(processorSeconds: used, of: seconds)
    }

    /// Whether a thread reads or writes something other than a GPU: a network that hangs, or a pipe that is not read.
    private var waitsForFile: Bool {
        entries("task").contains { thread in
            guard let call = BlockingSystemCall(syscall: read("task/\(thread)/syscall")) else { return false }
            return call.isFor(target(of: call.descriptor))
        }
    }

    private func target(of descriptor: Int) -> String { TextFile.linkTarget("\(directory)/fd/\(descriptor)") ?? "" }

    private func read(_ name: String) -> String { TextFile.read("\(directory)/\(name)", limit: 4096) ?? "" }

    private func entries(_ name: String) -> [String] { Directory.names(in: "\(directory)/\(name)") }
}

/// The contents of `/proc/PID/stat` (proc(5)).
struct ProcessStatus: Hashable {
    var isStopped: Bool
    /// The processor time of all threads, in clock ticks.
    var ticks: Int

    init?(stat text: String) {
        // The program's name is in parentheses, and may contain parentheses and spaces.
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[bracket...].split(separator: " ").dropFirst()
        guard fields.count > 12, let user = Int(fields[fields.startIndex + 11]),
            let system = Int(fields[fields.startIndex + 12])
        else { return nil }
        isStopped = ["T", "t"].contains(fields.first)
        ticks = user + system
    }
}

/// The system call in which a thread is blocked, if it reads or writes, from `/proc/PID/task/TID/syscall`.
struct BlockingSystemCall: Hashable {
    let descriptor: Int

    init?(syscall text: String) {
        let words = text.split(separator: " ")
        guard words.count > 1, let number = Int(words[0]), Self.numbers.contains(number),
            let descriptor = Int(words[1].dropFirst(2), radix: 16)
        else { return nil }
        self.descriptor = descriptor
    }

    /// - Parameter target: The descriptor's target in /proc.
    func isFor(_ target: String) -> Bool {
        // The pipes and events of libraries have no path. The standard descriptors are always the user's.
        descriptor <= STDERR_FILENO || target.hasPrefix("/") && !target.hasPrefix("/dev/dri/")
    }

    /// read, write, pread64, pwrite64, readv, writev, fsync, fdatasync.
    #if arch(x86_64)
        private static let numbers: Set = [0, 1, 17, 18, 19, 20, 74, 75]
    #else
        private static let numbers: Set = [63, 64, 67, 68, 65, 66, 82, 83]
    #endif
}

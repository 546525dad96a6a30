import Glibc

/// What a process does while nothing comes out of it.
package enum ProcessActivity: Sendable, Hashable {
    /// Nothing at all: a driver that waits for a GPU that does not answer looks like this.
    case idle
    /// It computes: a slow encoder does, and so does a driver that waits in a loop.
    case busy
    /// It is stopped, or waits for a file, a pipe or a terminal. No driver is to blame for that.
    case waiting

    /// - Parameters:
    ///   - used: time on a processor, of all threads.
    ///   - seconds: the time in which they used it.
    ///
    /// A driver that asks its GPU again and again, with short sleeps in between, uses little. Whether a thread waits for
    /// a processor at one moment says nothing: on a busy machine such a driver's thread nearly always does.
    package init(processorSeconds used: Double, of seconds: Double) {
        self = used >= 0.1 * seconds ? .busy : .idle
    }
}

/// Looks at what a process does, in /proc. What cannot be read there counts as doing nothing.
package struct ProcessActivityMeter: Sendable {
    private let directory: String
    private var ticks: Int?

    package init(_ process: Int32) {
        directory = "/proc/\(process)"
    }

    /// What the process did in the last seconds.
    package mutating func measure(seconds: Double) -> ProcessActivity {
        guard let status = ProcessStatus(stat: read("stat")) else { return .idle }
        defer { ticks = status.ticks }
        if status.isStopped || waitsForFile { return .waiting }
        let used = Double(status.ticks - (ticks ?? status.ticks)) / Double(sysconf(Int32(_SC_CLK_TCK)))
        return ProcessActivity(processorSeconds: used, of: seconds)
    }

    /// Whether a thread reads or writes something that is not a GPU: a network that hangs, a pipe that is not read.
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

/// What proc(5) says in `/proc/PID/stat`.
struct ProcessStatus: Hashable {
    var isStopped: Bool
    /// Time on a CPU, of all threads, in ticks of the clock.
    var ticks: Int

    init?(stat text: String) {
        // The program's name is in brackets, and may hold brackets and spaces itself.
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[bracket...].split(separator: " ").dropFirst()
        guard fields.count > 12, let user = Int(fields[fields.startIndex + 11]),
            let system = Int(fields[fields.startIndex + 12])
        else { return nil }
        isStopped = ["T", "t"].contains(fields.first)
        ticks = user + system
    }
}

/// The system call that a thread is blocked in, where it reads or writes; from `/proc/PID/task/TID/syscall`.
struct BlockingSystemCall: Hashable {
    let descriptor: Int

    init?(syscall text: String) {
        let words = text.split(separator: " ")
        guard words.count > 1, let number = Int(words[0]), Self.numbers.contains(number),
            let descriptor = Int(words[1].dropFirst(2), radix: 16)
        else { return nil }
        self.descriptor = descriptor
    }

    /// - Parameter target: what the descriptor leads to, as /proc says it.
    func isFor(_ target: String) -> Bool {
        // A library's own pipes and events have no path; the standard descriptors are the user's, path or not.
        descriptor <= STDERR_FILENO || target.hasPrefix("/") && !target.hasPrefix("/dev/dri/")
    }

    /// read, write, pread64, pwrite64, readv, writev, fsync, fdatasync.
    #if arch(x86_64)
        private static let numbers: Set = [0, 1, 17, 18, 19, 20, 74, 75]
    #else
        private static let numbers: Set = [63, 64, 67, 68, 65, 66, 82, 83]
    #endif
}

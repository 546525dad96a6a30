import VTXSystem
import CSystem
import Glibc

extension WorkerProcess {
    /// Makes this process's double by fork(2), which spares the loading of two hundred libraries.
    ///
    /// Only for a process of one thread: the double has no other, and what they had locked would stay so. Signals that
    /// ask to stop are blocked here afterwards; a wait for them gets those that came meanwhile.
    /// - Returns: nil in the double, whose `WorkerLink.own` reports to the other.
    static func double() throws(SystemError) -> WorkerProcess? {
        let pipe = try ReportPipe()
        let before = StopSignals.block()
        let identifier = system_fork()
        guard identifier == 0 else {
            let code = errno
            close(pipe.writing)
            if identifier > 0 { return WorkerProcess(identifier, reports: pipe.reading) }
            close(pipe.reading)
            throw SystemError("fork", code)
        }
        close(pipe.reading)
        StopSignals.restore(before)
        CrashHandlers.remove()
        WorkerLink.adopt(WorkerLink(pipe: pipe.writing))
        return nil
    }
}

/// What Swift's runtime installed when the process began.
private enum CrashHandlers {
    /// On a terminal it would ask the user what to do about a crash, for half a minute. A user who wants that can set it.
    static func remove() {
        guard getenv(WorkerLaunch.backtraces) == nil else { return }
        for crash in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] where !StopSignals.isIgnored(crash) {
            signal(crash, SIG_DFL)
        }
    }
}

enum ThreadCount {
    /// 0 where the system does not say.
    static var ofThisProcess: Int { Directory.names(in: "/proc/self/task").count }
}

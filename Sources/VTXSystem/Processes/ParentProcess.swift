import CSystem
import Glibc

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

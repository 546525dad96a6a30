import CSystem
import Glibc

/// Limits of this process, and of those that it starts.
package enum ProcessLimits {
    /// Limits a process that may crash or grow without limit, because its input is hostile: it leaves no core file, has
    /// a bounded number of open files, and is the first to be killed if memory runs out.
    package static func restrict() {
        system_limit_cores_and_files(4096)
        // Ignored where the container has the last word.
        try? FileDescriptor(opening: "/proc/self/oom_score_adj", O_WRONLY).writeAll(Array("500".utf8))
    }
}

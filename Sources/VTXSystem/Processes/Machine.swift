import CSystem
import Glibc

/// The resources of the machine that this process may use.
package struct Machine: Sendable, Hashable {
    package var cores: Int
    /// Available memory, in bytes, including what the kernel can reclaim.
    package var memory: Int64

    package init(cores: Int, memory: Int64) { (self.cores, self.memory) = (cores, memory) }

    package static var here: Machine { Machine(cores: allowedCores, memory: availableMemory) }

    /// The cores allowed by `taskset` and containers (proc(5), status); all cores if unknown.
    private static var allowedCores: Int {
        let mask = field("Cpus_allowed:", of: "/proc/self/status") ?? ""
        let count = mask.compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// `MemAvailable` (proc(5), meminfo); free memory if unknown.
    private static var availableMemory: Int64 {
        guard let kilobytes = field("MemAvailable:", of: "/proc/meminfo").flatMap({ Int64($0.filter(\.isNumber)) })
        else { return Int64(sysconf(Int32(_SC_AVPHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE))) }
        return kilobytes * 1024
    }

    private static func field(_ name: String, of path: String) -> Substring? {
        let lines = (TextFile.read(path, limit: 8192) ?? "").split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }
}

/// Configures the C library's allocator.
package enum Heap {
    /// In bytes. By default, the threshold rises to each larger block that is freed (mallopt(3)), up to 32 MB.
    private static let largeBlock: Int32 = 128 * 1024

    /// Returns large blocks to the system when they are freed. Otherwise, they remain with the threads that freed them,
    /// and later threads allocate new ones.
    package static func returnLargeBlocks() { _ = mallopt(M_MMAP_THRESHOLD, largeBlock) }
}

/// The limit on open files of this process (C: `RLIMIT_NOFILE`).
package enum OpenFileLimit {
    /// Raises it as far as the system allows. Programs started afterwards inherit it.
    package static func raise(to count: UInt64) { system_raise_file_limit(rlim_t(count)) }
}

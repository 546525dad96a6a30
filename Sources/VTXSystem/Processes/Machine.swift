import CSystem
import Glibc

/// What this process may use of the machine that it runs on.
package struct Machine: Sendable, Hashable {
    package var cores: Int
    /// Bytes that are free, or are as soon as they are needed.
    package var memory: Int64

    package init(cores: Int, memory: Int64) { (self.cores, self.memory) = (cores, memory) }

    package static var here: Machine { Machine(cores: allowedCores, memory: availableMemory) }

    /// As `taskset` and containers limit them (proc(5), status); all cores where that cannot be read.
    private static var allowedCores: Int {
        let mask = field("Cpus_allowed:", of: "/proc/self/status") ?? ""
        let count = mask.compactMap(\.hexDigitValue).reduce(0) { $0 + $1.nonzeroBitCount }
        return count > 0 ? count : max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// `MemAvailable` (proc(5), meminfo); what is free where that cannot be read.
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

/// How the C library gets memory for this process.
package enum Heap {
    /// Bytes. Where nothing is said, the threshold rises to each larger block that is freed (mallopt(3)), up to 32 MB.
    private static let largeBlock: Int32 = 128 * 1024

    /// Has large blocks go back to the system when they are freed. Otherwise they stay with the threads that have freed
    /// them, and what comes after those threads takes new ones.
    package static func returnLargeBlocks() { _ = mallopt(M_MMAP_THRESHOLD, largeBlock) }
}

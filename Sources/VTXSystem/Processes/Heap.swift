import CSystem

/// How the C library gets memory for this process.
package enum Heap {
    /// Bytes. Where nothing is said, the threshold rises to each larger block that is freed (mallopt(3)), up to 32 MB.
    private static let largeBlock: Int32 = 128 * 1024

    /// Has large blocks go back to the system when they are freed. Otherwise they stay with the threads that have freed
    /// them, and what comes after those threads takes new ones.
    package static func returnLargeBlocks() { _ = mallopt(M_MMAP_THRESHOLD, largeBlock) }
}

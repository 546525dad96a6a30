import CSystem
import Glibc

/// An open file, pipe or device, closed with its owner. Never inherited by other programs.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: Int32

    /// - Parameter number: An open descriptor, which the instance takes over.
    package init(owning number: Int32) { self.number = number }

    /// - Parameters:
    ///   - flags: The flags of open(2); `O_CLOEXEC` is added.
    ///   - permissions: The permissions of a new file, subject to the umask.
    package init(
        opening path: String, _ flags: Int32 = O_RDONLY, permissions: UInt32 = 0o666
    ) throws(SystemError) {
        let number = open(path, flags | O_CLOEXEC, permissions)
        guard number >= 0 else { throw SystemError("open '\(path)'", errno) }
        self.init(owning: number)
    }

    package init(duplicating number: Int32) throws(SystemError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError("fcntl", errno) }
        self.init(owning: copy)
    }

    deinit { close(number) }

    /// Releases the ownership of the descriptor.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    /// A path to the open file, whatever its name now refers to.
    package var path: String { "/proc/self/fd/\(number)" }

    package var status: FileStatus? { FileStatus(descriptor: number) }

    /// Takes a lock between processes that ends with the descriptor (C: `flock`).
    ///
    /// - Returns: false if another process holds it.
    package func lock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }

    /// Marks the lock's holder as working for this process, as long as the descriptor is open.
    package func markOwned() { _ = system_lock_last_byte(number) }

    /// Whether another process has marked itself as the owner.
    package var isOwned: Bool { system_is_last_byte_locked(number) != 0 }

    package func truncate(to byteCount: Int64) throws(SystemError) {
        guard ftruncate(number, off_t(byteCount)) == 0 else { throw SystemError("ftruncate", errno) }
    }

    /// Writes the content to the disk (C: `fdatasync`).
    package func synchronizeContent() throws(SystemError) {
        guard fdatasync(number) == 0 else { throw SystemError("fdatasync", errno) }
    }

    /// Sets the position of the next read or write.
    package func seek(to offset: Int64) throws(SystemError) {
        guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw SystemError("lseek", errno) }
    }

    /// Returns how much of an open file can be mapped; nil if it has no size. Older kernels report a DMA-BUF's size
    /// only by seeking to its end.
    package static func mappableByteCount(of number: Int32) -> Int? {
        if let listed = FileStatus(descriptor: number)?.byteCount, listed > 0 { return Int(listed) }
        let end = lseek(number, 0, SEEK_END)
        return end > 0 ? Int(end) : nil
    }

    /// Sets the times of the last access and the last change.
    ///
    /// - Parameter seconds: Since 1970.
    package func setTimes(_ seconds: Int64) throws(SystemError) {
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
        guard futimens(number, [time, time]) == 0 else { throw SystemError("futimens", errno) }
    }

    /// Writes content and metadata to the disk (C: `fsync`).
    package func synchronize() throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError("fsync", errno) }
    }
}

// MARK: Reading

extension FileDescriptor {
    /// The data available without waiting.
    package enum Available: Sendable, Hashable {
        case bytes([UInt8])
        case nothingYet
        case end
    }

    /// Reads available data, up to `count` bytes. Only for non-blocking descriptors.
    package func readAvailable(upTo count: Int = 65536) throws(SystemError) -> Available {
        do throws(SystemError) {
            let bytes = try read(upTo: count)
            return bytes.isEmpty ? .end : .bytes(bytes)
        } catch {
            guard error.code == EAGAIN else { throw error }
            return .nothingYet
        }
    }

    /// Reads once, up to `count` bytes; empty at the end.
    package func read(upTo count: Int) throws(SystemError) -> [UInt8] { try Self.read(upTo: count, from: number) }

    /// The same for a descriptor owned by others, such as standard input.
    package static func read(upTo count: Int, from number: Int32) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            do throws(SystemError) {
                filled = try read(into: UnsafeMutableRawBufferPointer(buffer), from: number)
            } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Reads to the end, up to `limit` bytes.
    package func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let more = try read(upTo: min(65536, limit - bytes.count))
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Reads `count` bytes at an offset, fewer at the end of the file.
    package func read(at offset: Int64, upTo count: Int) throws(SystemError) -> [UInt8] {
        var failure: SystemError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = pread(number, buffer.baseAddress! + filled, count - filled, off_t(offset) + off_t(filled))
                if read == 0 { return }
                if read > 0 { filled += read } else if errno != EINTR { return failure = SystemError("pread", errno) }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// - Returns: the number of bytes read; 0 at the end.
    package func read(into target: inout MutableRawSpan) throws(SystemError) -> Int {
        var failure: SystemError?
        let count = target.withUnsafeMutableBytes { buffer in
            do throws(SystemError) { return try Self.read(into: buffer, from: number) } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return count
    }

    private static func read(
        into buffer: UnsafeMutableRawBufferPointer, from number: Int32
    ) throws(SystemError) -> Int {
        while true {
            let count = Glibc.read(number, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw SystemError("read", errno) }
        }
    }
}

// MARK: Writing

extension FileDescriptor {
    /// Writes all bytes, waiting for room in a non-blocking pipe.
    package func writeAll(_ bytes: RawSpan) throws(SystemError) { try Self.writeAll(bytes, to: number) }

    package func writeAll(_ bytes: [UInt8]) throws(SystemError) { try writeAll(bytes.span.bytes) }

    package func writeAll(_ text: String) throws(SystemError) { try writeAll(Array(text.utf8)) }

    /// The same for a descriptor owned by others, such as standard output.
    package static func writeAll(_ bytes: RawSpan, to number: Int32) throws(SystemError) {
        var written = 0
        while written < bytes.byteCount {
            let rest = bytes.extracting(droppingFirst: written)
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                Poll.wait(for: [.writable(number)], seconds: nil)
            } else if errno != EINTR {
                throw SystemError("write", errno)
            }
        }
    }
}

/// How long to wait for a lock that another process is about to release.
package struct LockTimeout: Sendable {
    private let seconds: Double
    private let pause: @Sendable () -> Void

    /// - Parameter pause: Called between two attempts.
    package init(seconds: Double, pause: @escaping @Sendable () -> Void = { Poll.wait(for: [], seconds: 0.02) }) {
        self.seconds = seconds
        self.pause = pause
    }

    package static let none = LockTimeout(seconds: 0)
    /// A worker whose owner was killed exits within ten seconds.
    package static let worker = LockTimeout(seconds: 12)

    /// Calls `attempt` until it succeeds or the time is over.
    ///
    /// - Parameter attempt: Returns nil for a lock that may soon be released.
    package func wait<Result: ~Copyable, Failure: Error>(
        for attempt: () throws(Failure) -> Result?
    ) throws(Failure) -> Result? {
        let end = MonotonicClock.seconds + seconds
        while true {
            if let result = try attempt() { return result }
            guard MonotonicClock.seconds < end else { return nil }
            pause()
        }
    }
}

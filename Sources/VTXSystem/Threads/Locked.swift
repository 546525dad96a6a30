import Glibc

/// A value protected by a lock.
///
/// Unchecked: every access to the value is locked.
///
/// This is a pthread mutex instead of `Synchronization.Mutex`, for which ThreadSanitizer reports false races.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: every access to `contents` is locked. The second field is needed because a field of size zero has the
    // object's address, where its class is read before the lock is taken: ThreadSanitizer would report a race.
    private var contents: (value: Value, room: UInt8)
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        contents = (value, 0)
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&contents.value)
    }
}

import Glibc

/// A value that a lock protects.
///
/// Unchecked: the value is touched between lock and unlock alone.
///
/// A pthread mutex, not `Synchronization.Mutex`: ThreadSanitizer sees this one and calls the other a race.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: every access to `contents` is between lock and unlock.
    // The value has company because a field without a size has the object's own address, at which its class is looked
    // up before the lock is taken: ThreadSanitizer would see a race there.
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

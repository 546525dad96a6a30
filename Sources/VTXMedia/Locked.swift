import Glibc

/// A value behind a lock.
///
/// A pthread mutex, not `Synchronization.Mutex`: ThreadSanitizer sees this one and calls the other a race.
package final class Locked<Value>: @unchecked Sendable {
    // Unchecked: every access to `value` is between lock and unlock.
    private var value: Value
    // A value without a size has the address of the field behind it; were that the mutex, ThreadSanitizer would see a
    // race.
    private let room: UInt8 = 0
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    package init(_ value: sending Value) {
        self.value = value
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
        return try body(&value)
    }
}

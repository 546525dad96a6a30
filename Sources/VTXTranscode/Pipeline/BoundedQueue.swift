import Glibc

/// Hands units from one stage's thread to the next one's, holding no more than `capacity` of them back.
///
/// Waking a thread costs more than most units do, so one that has to wait is not woken for every unit: a producer
/// sleeps until half of the queue is empty, and a consumer that has time until a batch has come.
///
/// Unchecked: every access to the state is between lock and unlock.
package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
    /// Seconds for which a consumer lets a batch grow.
    private static var batchSeconds: Double { 0.1 }

    private let capacity: Int
    private let batch: Int
    private var elements: [Element?]
    private var first = 0
    private var count = 0
    private var openProducers: Int
    private var isCancelled = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasRoom = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let hasElements = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// - Parameters:
    ///   - producers: how many stages push; the queue ends when each has called `finish`.
    ///   - batch: how many units, at most `capacity`, a consumer that finds none would have at once. It gets them one
    ///     by one, and what has come after a tenth of a second.
    package init(capacity: Int, producers: Int = 1, batch: Int = 1) {
        self.capacity = capacity
        self.batch = batch
        elements = Array(repeating: nil, count: capacity)
        openProducers = producers
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(hasRoom, nil)
        pthread_cond_init(hasElements, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(hasRoom)
        pthread_cond_destroy(hasElements)
        mutex.deallocate()
        hasRoom.deallocate()
        hasElements.deallocate()
    }

    /// Waits for room.
    ///
    /// - Throws: `StageStopped` when the queue was cancelled: nobody will ever take the element.
    package func push(_ element: Element) throws(StageStopped) {
        lock()
        defer { unlock() }
        while count == capacity && !isCancelled { pthread_cond_wait(hasRoom, mutex) }
        if isCancelled { throw StageStopped() }
        elements[(first + count) % capacity] = element
        count += 1
        if count >= batch { pthread_cond_signal(hasElements) }
    }

    /// Waits for an element; nil when every producer has finished and all is taken.
    ///
    /// - Throws: `StageStopped` when the queue was cancelled.
    package func pop() throws(StageStopped) -> Element? {
        lock()
        defer { unlock() }
        while count == 0 && mayGrow {
            if batch > 1 { waitForBatch(seconds: Self.batchSeconds) } else { pthread_cond_wait(hasElements, mutex) }
        }
        return try takeFirst()
    }

    /// Waits for an element, but not for longer than so many seconds; nil when there is none by then.
    package func pop(timeoutSeconds: Double) throws(StageStopped) -> Element? {
        lock()
        defer { unlock() }
        if count == 0 { waitForBatch(seconds: timeoutSeconds) }
        return try takeFirst()
    }

    /// One producer has nothing more to push.
    package func finish() {
        lock()
        defer { unlock() }
        openProducers -= 1
        pthread_cond_broadcast(hasElements)
    }

    /// Wakes everyone up and drops what is left.
    package func cancel() {
        lock()
        defer { unlock() }
        isCancelled = true
        elements = Array(repeating: nil, count: capacity)
        count = 0
        pthread_cond_broadcast(hasRoom)
        pthread_cond_broadcast(hasElements)
    }

    private var mayGrow: Bool { openProducers > 0 && !isCancelled }

    /// Between lock and unlock.
    private func waitForBatch(seconds: Double) {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(seconds * 1e9)
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while count < batch && mayGrow {
            if pthread_cond_timedwait(hasElements, mutex, &deadline) != 0 { return }
        }
    }

    /// Between lock and unlock.
    private func takeFirst() throws(StageStopped) -> Element? {
        if isCancelled { throw StageStopped() }
        guard count > 0 else { return nil }
        let element = elements[first]
        elements[first] = nil
        first = (first + 1) % capacity
        count -= 1
        if count <= capacity / 2 { pthread_cond_broadcast(hasRoom) }
        return element
    }

    private func lock() { pthread_mutex_lock(mutex) }
    private func unlock() { pthread_mutex_unlock(mutex) }
}

/// Thrown out of a stage that was stopped because another one failed or the user cancelled; never the cause.
package struct StageStopped: Error {}

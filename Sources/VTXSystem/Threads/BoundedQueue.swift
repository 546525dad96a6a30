import Glibc

/// A queue between threads with at most `capacity` elements.
///
/// Waking a thread costs more than processing most elements, so a waiting thread is not woken for each: a producer
/// sleeps until the queue is half empty, and a consumer may request batches.
///
/// Unchecked: every access to the state is locked.
package final class BoundedQueue<Element: Sendable>: @unchecked Sendable {
    /// How long a consumer waits for a batch, in seconds.
    private static var batchSeconds: Double { 0.1 }

    private let capacity: Int
    private let batch: Int
    private var elements: [Element?]
    private var first = 0
    private var count = 0
    private var openProducers: Int
    private var isCancelled = false
    /// Whether the consumer should not wait for a batch.
    private var isUrgent = false
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let hasRoom = BoundedQueue.makeCondition()
    private let hasElements = BoundedQueue.makeCondition()

    /// - Parameters:
    ///   - producers: The number of producers. The queue ends when each has called `finish`.
    ///   - batch: The number of elements, at most `capacity`, for which a consumer with an empty queue waits, for up to
    ///     a tenth of a second. It still takes them one by one.
    package init(capacity: Int, producers: Int = 1, batch: Int = 1) {
        self.capacity = capacity
        self.batch = batch
        elements = Array(repeating: nil, count: capacity)
        openProducers = producers
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        pthread_cond_destroy(hasRoom)
        pthread_cond_destroy(hasElements)
        mutex.deallocate()
        hasRoom.deallocate()
        hasElements.deallocate()
    }

    /// Adds an element, waiting for room.
    ///
    /// - Throws: `QueueCancelled` if the queue was cancelled: the element is never taken.
    package func push(_ element: Element) throws(QueueCancelled) { try push(element, isUrgent: false) }

    /// Adds an element, waiting for room.
    ///
    /// - Parameter isUrgent: Whether the consumer gets it immediately, with everything that waits for a batch.
    package func push(_ element: Element, isUrgent: Bool) throws(QueueCancelled) {
        lock()
        defer { unlock() }
        while count == capacity && !isCancelled { pthread_cond_wait(hasRoom, mutex) }
        if isCancelled { throw QueueCancelled() }
        elements[(first + count) % capacity] = element
        count += 1
        if isUrgent { self.isUrgent = true }
        if hasBatch { pthread_cond_signal(hasElements) }
    }

    /// Adds an element without waiting, unless the queue is half full.
    ///
    /// - Returns: whether it was added.
    package func offer(_ element: Element) throws(QueueCancelled) -> Bool {
        lock()
        defer { unlock() }
        if isCancelled { throw QueueCancelled() }
        guard count < capacity / 2 else { return false }
        elements[(first + count) % capacity] = element
        count += 1
        if hasBatch { pthread_cond_signal(hasElements) }
        return true
    }

    /// Adds an element without waiting. If the queue is full, the oldest element is dropped.
    ///
    /// - Returns: the dropped element.
    /// - Throws: `QueueCancelled` if the queue was cancelled.
    package func pushReplacingOldest(_ element: Element) throws(QueueCancelled) -> Element? {
        lock()
        defer { unlock() }
        if isCancelled { throw QueueCancelled() }
        let oldest = count == capacity ? try takeFirst() : nil
        elements[(first + count) % capacity] = element
        count += 1
        if hasBatch { pthread_cond_signal(hasElements) }
        return oldest
    }

    /// Waits for an element; nil if every producer has finished and the queue is empty.
    ///
    /// - Throws: `QueueCancelled` if the queue was cancelled.
    package func pop() throws(QueueCancelled) -> Element? {
        lock()
        defer { unlock() }
        while count == 0 && mayGrow {
            if batch > 1 { waitForBatch(seconds: Self.batchSeconds) } else { pthread_cond_wait(hasElements, mutex) }
        }
        return try takeFirst()
    }

    /// Waits for an element for at most this many seconds; nil if there is none.
    package func pop(timeoutSeconds: Double) throws(QueueCancelled) -> Element? {
        lock()
        defer { unlock() }
        if count == 0 { waitForBatch(seconds: timeoutSeconds) }
        return try takeFirst()
    }

    /// Ends one producer.
    package func finish() {
        lock()
        defer { unlock() }
        openProducers -= 1
        pthread_cond_broadcast(hasElements)
    }

    /// Wakes all threads and drops all elements.
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
    private var hasBatch: Bool { count >= batch || isUrgent }

    /// Called while locked.
    private func waitForBatch(seconds: Double) {
        var deadline = timespec()
        clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(seconds * 1e9)
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while !hasBatch && mayGrow {
            if pthread_cond_timedwait(hasElements, mutex, &deadline) != 0 { return }
        }
    }

    /// Called while locked.
    private func takeFirst() throws(QueueCancelled) -> Element? {
        if isCancelled { throw QueueCancelled() }
        guard count > 0 else { return nil }
        let element = elements[first]
        elements[first] = nil
        first = (first + 1) % capacity
        count -= 1
        if count == 0 { isUrgent = false }
        if count <= capacity / 2 { pthread_cond_broadcast(hasRoom) }
        return element
    }

    /// Timed waits use the monotonic clock: setting the calendar clock back must not stop a pipeline.
    private static func makeCondition() -> UnsafeMutablePointer<pthread_cond_t> {
        let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        return condition
    }

    private func lock() { pthread_mutex_lock(mutex) }
    private func unlock() { pthread_mutex_unlock(mutex) }
}

/// Thrown by a cancelled queue: a consequence of another failure, never its cause.
package struct QueueCancelled: Error {
    package init() {}
}

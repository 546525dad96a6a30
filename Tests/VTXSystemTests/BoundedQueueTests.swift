import Glibc
import Testing
import VTXSystem

@Suite("The queue between two stages")
struct BoundedQueueTests {
    @Test("keeps the order at any size", arguments: [1, 2, 3, 64])
    func order(capacity: Int) throws {
        let queue = BoundedQueue<Int>(capacity: capacity)
        let group = ThreadGroup()
        group.run("producer") {
            for number in 0..<1000 { try queue.push(number) }
            queue.finish()
        }
        var taken: [Int] = []
        while let number = try queue.pop() { taken.append(number) }
        try group.wait()
        #expect(taken == Array(0..<1000))
    }

    @Test("an offer leaves half of the room to other elements")
    func halfFull() throws {
        let queue = BoundedQueue<Int>(capacity: 4)
        #expect(try [1, 2, 3].map { try queue.offer($0) } == [true, true, false])
        try queue.push(4)
        #expect(try queue.pop() == 1)
        queue.cancel()
        #expect(throws: QueueCancelled.self) { try queue.offer(5) }
    }

    @Test("a producer that is too fast has to wait")
    func backPressure() throws {
        let queue = BoundedQueue<Int>(capacity: 4)
        let pushed = Locked(0)
        let group = ThreadGroup()
        group.run("producer") {
            for number in 0..<100 {
                try queue.push(number)
                pushed.withLock { $0 += 1 }
            }
            queue.finish()
        }
        while pushed.withLock({ $0 }) < 4 { sched_yield() }
        for taken in 0..<100 {
            // A received element makes room for one; the producer never gets further ahead.
            for _ in 0..<20 { sched_yield() }
            #expect(pushed.withLock { $0 } <= taken + 4)
            #expect(try queue.pop() == taken)
        }
        try group.wait()
        #expect(try queue.pop() == nil)
    }

    @Test("ends when the last of several producers has finished")
    func producers() throws {
        let queue = BoundedQueue<Int>(capacity: 3, producers: 3)
        let group = ThreadGroup()
        for producer in 0..<3 {
            group.run("producer") {
                for number in 0..<100 { try queue.push(producer * 1000 + number) }
                queue.finish()
            }
        }
        var taken: [Int] = []
        while let number = try queue.pop() { taken.append(number) }
        try group.wait()
        #expect(taken.count == 300)
        for producer in 0..<3 {
            #expect(taken.filter { $0 / 1000 == producer } == (0..<100).map { producer * 1000 + $0 })
        }
    }

    @Test("batches are complete and in order, including the remaining elements at the end", arguments: [1, 7, 64])
    func batch(size: Int) throws {
        let queue = BoundedQueue<Int>(capacity: 64, producers: 2, batch: size)
        let group = ThreadGroup()
        for producer in 0..<2 {
            group.run("producer") {
                for number in 0..<500 { try queue.push(producer * 1000 + number) }
                queue.finish()
            }
        }
        var taken: [Int] = []
        while let number = try queue.pop() { taken.append(number) }
        try group.wait()
        for producer in 0..<2 {
            #expect(taken.filter { $0 / 1000 == producer } == (0..<500).map { producer * 1000 + $0 })
        }
    }

    @Test("a consumer waits for a batch, with a limit")
    func fewerThanABatch() throws {
        let queue = BoundedQueue<Int>(capacity: 64, batch: 32)
        try queue.push(7)
        #expect(try queue.pop() == 7)
        let group = ThreadGroup()
        let first = Locked<Int?>(nil)
        group.run("consumer") {
            let number = try queue.pop()
            first.withLock { $0 = number }
        }
        // In most runs it waits by now; it must return in all.
        for _ in 0..<100 { sched_yield() }
        try queue.push(8)
        try group.wait()
        #expect(first.withLock { $0 } == 8, "although none finished")
    }

    @Test("an urgent element is delivered at once, with the pending batch before it")
    func urgent() throws {
        let queue = BoundedQueue<Int>(capacity: 64, batch: 32)
        let start = ContinuousClock.now
        let group = ThreadGroup()
        let taken = Locked<[Int?]>([])
        group.run("consumer") {
            for _ in 0..<2 {
                let number = try queue.pop(timeoutSeconds: 600)
                taken.withLock { $0.append(number) }
            }
        }
        // In most runs it waits by now.
        for _ in 0..<100 { sched_yield() }
        try queue.push(7)
        try queue.push(8, isUrgent: true)
        try group.wait()
        #expect(taken.withLock { $0 } == [7, 8] && .now - start < .seconds(300))
    }

    @Test("cancelling wakes producers and consumers")
    func cancel() throws {
        let (full, empty) = (BoundedQueue<Int>(capacity: 1), BoundedQueue<Int>(capacity: 1))
        try full.push(0)
        let (group, stopped) = (ThreadGroup(), Locked(0))
        group.run("push") {
            do { try full.push(1) } catch is QueueCancelled { stopped.withLock { $0 += 1 } }
        }
        group.run("pop") {
            do { _ = try empty.pop() } catch is QueueCancelled { stopped.withLock { $0 += 1 } }
        }
        group.run("timed pop") {
            do { _ = try empty.pop(timeoutSeconds: 3600) } catch is QueueCancelled { stopped.withLock { $0 += 1 } }
        }
        full.cancel()
        empty.cancel()
        try group.wait()
        #expect(stopped.withLock { $0 } == 3)
    }

    @Test("a cancelled queue accepts and delivers nothing")
    func afterCancel() throws {
        let queue = BoundedQueue<Int>(capacity: 2)
        try queue.push(1)
        queue.cancel()
        #expect(throws: QueueCancelled.self) { try queue.push(2) }
        #expect(throws: QueueCancelled.self) { try queue.pop() }
    }

    @Test("remaining elements are delivered after the end")
    func rest() throws {
        let queue = BoundedQueue<Int>(capacity: 2)
        try queue.push(1)
        try queue.push(2)
        queue.finish()
        #expect([try queue.pop(), try queue.pop(), try queue.pop(), try queue.pop()] == [1, 2, nil, nil])
    }

    @Test("a producer that never waits replaces the oldest element")
    func replacing() throws {
        let queue = BoundedQueue<Int>(capacity: 3)
        let replaced = try (1...5).map { try queue.pushReplacingOldest($0) }
        #expect(replaced == [nil, nil, nil, 1, 2])
        queue.finish()
        #expect([try queue.pop(), try queue.pop(), try queue.pop(), try queue.pop()] == [3, 4, 5, nil])
    }

    @Test("a timed wait returns an available element, or nothing")
    func timed() throws {
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(try queue.pop(timeoutSeconds: 0) == nil)
        try queue.push(7)
        #expect(try queue.pop(timeoutSeconds: 3600) == 7)
        queue.finish()
        #expect(try queue.pop(timeoutSeconds: 3600) == nil)
    }

    @Test("elements are released when they are taken or dropped")
    func references() throws {
        final class Token: Sendable {}
        let queue = BoundedQueue<Token>(capacity: 2)
        weak var taken: Token?
        weak var dropped: Token?
        do {
            let (first, second) = (Token(), Token())
            (taken, dropped) = (first, second)
            try queue.push(first)
            try queue.push(second)
        }
        #expect(taken != nil && dropped != nil)
        _ = try queue.pop()
        #expect(taken == nil && dropped != nil)
        queue.cancel()
        #expect(dropped == nil)
    }
}
